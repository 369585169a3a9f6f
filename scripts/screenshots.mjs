import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { launchBrowser, openPage } from '../test/ui/support/open-browser.ts'
import { DIALOGS, pagesOf, visit } from '../test/ui/support/screens.ts'
import { seed } from '../test/ui/support/seed.ts'
import { startPanel } from '../test/ui/support/start-panel.ts'

/**
 * `npm run screenshots [folder]`: pictures of every screen in both themes and
 * three widths, of every dialog in both themes, and of every screen in German,
 * as `<screen>-<width>-<theme>.png` (default folder `test-output/screenshots/screens`).
 * Builds the UI where that is needed; the host behind the panel is held in memory.
 */
const folder = resolve(process.argv[2] ?? 'test-output/screenshots/screens')
mkdirSync(folder, { recursive: true })
const SIZES = [
  { width: 360, height: 740 },
  { width: 768, height: 1024 },
  { width: 1440, height: 900 },
]

const panel = await startPanel({ history: true })
const browser = await launchBrowser()
let taken = 0
/** @type {string[]} */
const complaints = []
try {
  const first = await openPage(browser, panel.origin)
  await seed(first.page)
  const screens = await pagesOf(first.page)
  const storageState = await first.page.context().storageState()
  await first.page.context().close()

  /**
   * @param {readonly import('../test/ui/support/screens.ts').Screen[]} shown
   * @param {string} suffix
   * @param {import('playwright-core').BrowserContextOptions} options
   */
  const take = async (shown, suffix, options) => {
    const watched = await openPage(browser, panel.origin, { storageState, ...options })
    for (const screen of shown) {
      await visit(watched.page, screen)
      await watched.page.screenshot({ path: join(folder, `${screen.name}-${suffix}.png`) })
      taken += 1
    }
    complaints.push(...watched.complaints)
    await watched.page.context().close()
  }
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    for (const viewport of SIZES)
      await take(screens, `${viewport.width}-${colorScheme}`, { viewport, colorScheme })
    await take(DIALOGS, `1440-${colorScheme}`, { colorScheme })
  }
  const viewport = { width: 1440, height: 900 }
  await take(
    screens.filter(({ open }) => !open),
    '1440-de',
    { viewport, locale: 'de' },
  )
} finally {
  await browser.close()
  await panel.stop()
}
console.log(`${taken} pictures are in ${folder}`)
if (complaints.length > 0) {
  console.error(complaints.join('\n'))
  process.exitCode = 1
}
