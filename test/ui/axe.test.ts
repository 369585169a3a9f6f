import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { logIn } from './support/log-in.ts'
import { launchBrowser, openPage } from './support/open-browser.ts'
import { DIALOGS, pagesOf, visit, type Screen } from './support/screens.ts'
import { seed } from './support/seed.ts'
import { startPanel, type TestPanel } from './support/start-panel.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe-core finds wrong on the page as it is now; all rules but the experimental ones. */
const violationsOf = async (page: Page): Promise<string[]> => {
  // Through the debugger's evaluation: a script element would need an exception from the policy.
  await page.evaluate(AXE)
  const { violations } = await page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run(context: Document, options: object): Promise<AxeResults> }
    }
    // A menu floats beside the landmarks as dialogs do, but axe excepts only those.
    const region = { enabled: document.querySelector('[role=menu]') === null }
    return axe.run(document, { resultTypes: ['violations'], rules: { region } })
  })
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(
      ({ target, failureSummary }) =>
        `${impact} ${id} at ${target.join(' ')}: ${failureSummary?.split('\n').slice(1).join(' ')}`,
    ),
  )
}

describe('accessibility', () => {
  let panel: TestPanel
  let browser: Browser
  beforeAll(async () => {
    panel = await startPanel()
    browser = await launchBrowser()
    const { page } = await openPage(browser, panel.origin)
    await seed(page)
    await page.context().close()
  })
  afterAll(async () => {
    await browser?.close()
    await panel?.stop()
  })

  for (const colorScheme of ['light', 'dark'] as const)
    it(`axe finds nothing on any screen or dialog, ${colorScheme}`, async () => {
      const { page } = await openPage(browser, panel.origin, { colorScheme })
      await logIn(page)
      const pages = await pagesOf(page)
      const found: Record<string, string[]> = {}
      const look = async (name: string, screen: Screen): Promise<void> => {
        const violations = await visit(page, screen).then(
          () => violationsOf(page),
          (error: Error) => [`could not be opened: ${error.message}`],
        )
        if (violations.length > 0) found[name] = violations
      }
      for (const screen of [...pages, ...DIALOGS]) await look(screen.name, screen)
      await page.setViewportSize({ width: 360, height: 740 })
      for (const screen of pages) await look(`${screen.name} on a phone`, screen)
      expect(found).toEqual({})
      await page.context().close()
    }, 240_000)

  it('axe finds nothing on setup, login and in German', async () => {
    const { page } = await openPage(browser, panel.origin, { locale: 'de' })
    await page.goto('/login')
    expect(await violationsOf(page)).toEqual([])
    expect(await page.getAttribute('html', 'lang')).toBe('de')
    await page.context().close()
  })
})
