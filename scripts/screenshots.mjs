import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { callApi, createAccount, setUp } from '../test/ui/support/log-in.ts'
import { launchBrowser, openPage } from '../test/ui/support/open-browser.ts'
import { startPanel } from '../test/ui/support/start-panel.ts'

/**
 * Takes the pictures of the documentation: `node scripts/screenshots.mjs [folder]`
 * (default `test-output/screenshots/docs`), on the pinned Node, since it imports TypeScript.
 * The host behind the panel is held in memory.
 */
const folder = resolve(process.argv[2] ?? 'test-output/screenshots/docs')
mkdirSync(folder, { recursive: true })

const panel = await startPanel()
const browser = await launchBrowser()
try {
  const { page } = await openPage(browser, panel.origin)
  await setUp(page)
  await createAccount(page, 'lena', { plan: 'pro' })
  await createAccount(page, 'otto', { plan: 'business', domain: 'otto-books.example' })
  await createAccount(page, 'demo01')
  await callApi(page, 'POST', '/api/accounts/3/suspend', { reason: 'unpaid invoice' })
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    await page.emulateMedia({ colorScheme })
    for (const path of ['dashboard', 'accounts']) {
      await page.goto(path === 'dashboard' ? '/' : `/${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.screenshot({ path: join(folder, `${path}-${colorScheme}.png`) })
    }
  }
} finally {
  await browser.close()
  await panel.stop()
}
console.log(`Pictures are in ${folder}`)
