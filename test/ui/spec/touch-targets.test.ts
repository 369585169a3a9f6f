import { describe, expect, it } from 'vitest'
import { sampled } from '#test/support/sampled.ts'
import { outOfCards } from '../support/looks/out-of-cards.ts'
import { smallTargets } from '../support/looks/small-targets.ts'
import { stopTransitions } from '../support/looks/stop-transitions.ts'
import { openPage } from '../support/open-browser.ts'
import { browser, panel, signedInPanel, storageState } from '../support/panel-in-browser.ts'
import { DIALOGS, leave, pagesOf, SECRETS, settle, visit, visitNext } from '../support/screens.ts'
import { seed } from '../support/seed.ts'
import { seedHost } from '../support/seed-host.ts'

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true } as const

describe('screens on a phone', () => {
  signedInPanel(async (page) => {
    await seed(page)
    await seedHost(panel)
  })

  it('have targets of 24 by 24 pixels and more, and nothing that leaves its card, in every dialog too', async () => {
    const { page } = await openPage(browser, panel.origin, { storageState, ...PHONE })
    await page.setViewportSize({ width: 1440, height: 900 })
    const pages = await pagesOf(page)
    await page.setViewportSize(PHONE.viewport)
    const found: Record<string, string[]> = {}
    // The language is chosen in the navigation there.
    const onPhones = DIALOGS.filter(({ name }) => name !== 'language-menu')
    const dialogs = sampled('dialogs on a phone', onPhones, { keep: 14 })
    for (const screen of [...pages, ...dialogs, ...SECRETS]) {
      try {
        await visitNext(page, screen)
        await stopTransitions(page)
        await settle(page)
        const wrong = [...(await outOfCards(page)), ...(await smallTargets(page))]
        if (wrong.length > 0) found[screen.name] = wrong
        if (!pages.includes(screen)) await leave(page)
      } catch (error) {
        found[screen.name] = [`could not be opened: ${String(error).slice(0, 300)}`]
      }
    }
    expect(found).toEqual({})
    await page.context().close()
  }, 480_000)

  it('have them also before one has come in', async () => {
    const { page } = await openPage(browser, panel.origin, PHONE)
    const found: string[] = []
    for (const path of ['/login', '/invitation', '/no-such-page']) {
      await visit(page, { name: path, path })
      found.push(...(await smallTargets(page)).map((one) => `${path}: ${one}`))
    }
    expect(found).toEqual([])
    await page.context().close()
  })
})
