import { describe, expect, it } from 'vitest'
import { sampled, WHOLE } from '#test/support/sampled.ts'
import { violationsOf } from './support/looks/axe-violations.ts'
import { openPage } from './support/open-browser.ts'
import { DIALOGS, leave, pagesOf, SECRETS, settle, visitNext } from './support/screens.ts'
import { seedHost } from './support/seed-host.ts'
import { seed } from './support/seed.ts'
import { stopTransitions } from './support/looks/stop-transitions.ts'
import { browser, panel, signedInPanel, storageState } from './support/panel-in-browser.ts'

/** The rules that look at colours, of those that are on by themselves. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block']

describe('accessibility', () => {
  signedInPanel(async (page) => {
    await seed(page)
    await seedHost(panel)
  })

  it('axe finds nothing on screens and dialogs, on a desk and on a phone, light and dark', async () => {
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
    const chosen = [
      ...sampled('pages that axe looks at', pages, { keep: 9 }),
      ...sampled('dialogs that axe looks at', DIALOGS, { keep: 14 }),
      ...SECRETS,
    ]
    for (const screen of chosen) {
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
