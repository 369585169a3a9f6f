import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { WHOLE } from '#test/support/sampled.ts'
import { openPage } from './support/open-browser.ts'
import { DIALOGS, leave, pagesOf, settle, visitNext } from './support/screens.ts'
import { seedHost } from './support/seed-host.ts'
import { seed } from './support/seed.ts'
import { stopTransitions } from './support/stop-transitions.ts'
import { browser, panel, signedInPanel, storageState } from './support/panel-in-browser.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The rules that look at colours, of those that are on by themselves. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block']

/** What axe-core finds wrong on the page as it is now; all rules but the experimental ones, or those named. */
const violationsOf = async (page: Page, only?: readonly string[]): Promise<string[]> => {
  // Through the debugger's evaluation: a script element would need an exception from the policy.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE)
  return page.evaluate(async (only) => {
    const { axe } = window as unknown as {
      axe: { run(context: Document, options: object): Promise<AxeResults> }
    }
    // A menu floats beside the landmarks as dialogs do, but axe excepts only those.
    const region = { enabled: document.querySelector('[role=menu]') === null }
    const options = only ? { runOnly: { type: 'rule', values: only } } : { rules: { region } }
    // Style sheets, which it would fetch anew, are for experimental rules alone.
    const preload = { assets: ['media'] }
    const found = await axe.run(document, { resultTypes: ['violations'], preload, ...options })
    // In the page: handing out all that it tells took longer than finding it.
    return found.violations.flatMap(({ id, impact, nodes }) =>
      nodes.map(
        ({ target, failureSummary }) =>
          `${impact} ${id} at ${target.join(' ')}: ${failureSummary?.split('\n').slice(1).join(' ')}`,
      ),
    )
  }, only)
}

describe('accessibility', () => {
  signedInPanel(async (page) => {
    await seed(page)
    await seedHost(panel)
  })

  it('axe finds nothing on any screen or dialog, on a desk and on a phone, light and dark', async () => {
    const { page } = await openPage(browser, panel.origin, {
      storageState,
      reducedMotion: 'reduce',
    })
    const pages = await pagesOf(page)
    const found: Record<string, string[]> = {}
    const note = (name: string, violations: string[]) => {
      if (violations.length > 0) found[name] = violations
    }
    /** The themes differ in their colours alone: the other rules find the same in both. */
    const look = async (name: string) => {
      await page.emulateMedia({ colorScheme: 'light' })
      await settle(page)
      note(`${name}, light`, await violationsOf(page))
      await page.emulateMedia({ colorScheme: 'dark' })
      await settle(page)
      note(`${name}, dark`, await violationsOf(page, WHOLE ? undefined : OF_COLOURS))
    }
    for (const screen of [...pages, ...DIALOGS]) {
      try {
        await visitNext(page, screen)
        await stopTransitions(page)
        await look(screen.name)
        if (pages.includes(screen)) {
          await page.setViewportSize({ width: 360, height: 740 })
          await settle(page)
          await look(`${screen.name} on a phone`)
          await page.setViewportSize({ width: 1440, height: 900 })
        } else await leave(page)
      } catch (error) {
        note(screen.name, [`could not be opened: ${String(error)}`])
      }
    }
    expect(found).toEqual({})
    await page.context().close()
  }, 480_000)

  it('axe finds nothing on setup, login and in German', async () => {
    const { page } = await openPage(browser, panel.origin, { locale: 'de' })
    await page.goto('/login')
    expect(await violationsOf(page)).toEqual([])
    expect(await page.getAttribute('html', 'lang')).toBe('de')
    await page.context().close()
  })
})
