import { describe, expect, it } from 'vitest'
import { sampled } from '#test/support/sampled.ts'
import { keyboardOf } from './support/keyboard.ts'
import { ADMIN, logInByApi } from './support/log-in.ts'
import { openPage } from './support/open-browser.ts'
import { DIALOGS, visitNext } from './support/screens.ts'
import { seedHost } from './support/seed-host.ts'
import { seed } from './support/seed.ts'
import { browser, page, panel, panelInBrowser } from './support/panel-in-browser.ts'

/** What never comes is not there by then; a busy machine takes some of it. */
const NEVER_MS = 15_000
const LAYER = '[role=dialog], [role=menu], [data-popover-content]'

describe('keyboard and dialogs', () => {
  panelInBrowser(async () => {
    await seed(page)
    await seedHost(panel)
  })

  const tabTo = (name: string) => keyboardOf(page).tabTo(name)
  const press = (name: string) => keyboardOf(page).press(name)
  const command = async (text: string): Promise<void> => {
    await page.keyboard.press('Control+k')
    await page.locator('[role=combobox]:focus').waitFor()
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
  }
  /** Waits until the open layer has the cursor, or none is open any more: Tab closes a menu. */
  const holdsCursor = () =>
    page
      .waitForFunction(
        (layer) => {
          const open = document.querySelector(`:is(${layer}):not([data-state=closed])`)
          return open === null || open.contains(document.activeElement)
        },
        LAYER,
        { timeout: NEVER_MS },
      )
      .then(() => true)
      .catch(() => false)
  const question = () => page.getByRole('alertdialog', { name: 'Discard your changes?' })

  it('logs in and creates an account without a mouse', async () => {
    await page.context().clearCookies({ name: 'panel_token' })
    await page.goto('/login')
    await tabTo('username')
    await page.keyboard.type(ADMIN.username)
    await tabTo('password')
    await page.keyboard.type(ADMIN.password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()

    await command('new account')
    await page.getByRole('dialog', { name: 'New account' }).waitFor()
    for (const text of ['mira', 'mira.example', 'post@mira.example', 'correct horse 9']) {
      await page.keyboard.type(text)
      await page.keyboard.press('Tab')
    }
    await press('Create account')
    await page.getByRole('status').getByText('Account mira created').waitFor()
  })

  it('edits a file without a mouse', async () => {
    await page.goto('/files?account=1')
    await press('notes.txt')
    await page.getByTestId('code').locator('.cm-content').waitFor()
    await page.getByTestId('code').locator('.cm-content').focus()
    await page.keyboard.press('Control+Home')
    await page.keyboard.type('First. ')
    await page.keyboard.press('Control+s')
    await page.getByRole('status').getByText('notes.txt saved').waitFor()
  })

  it('every dialog has the cursor, keeps it, closes with Escape and gives it back', async () => {
    const wrong: string[] = []
    for (const screen of sampled('dialogs that keys go through', DIALOGS, { keep: 24 })) {
      if (['unsaved-question', 'form-errors'].includes(screen.name)) continue
      await visitNext(page, screen)
      const layer = page.locator(LAYER).first()
      if (!(await holdsCursor())) wrong.push(`${screen.name}: the cursor is not inside`)
      for (const key of ['Tab', 'Tab', 'Shift+Tab', 'Shift+Tab', 'Shift+Tab']) {
        await page.keyboard.press(key)
        if (!(await holdsCursor())) wrong.push(`${screen.name}: ${key} leaves`)
      }
      await page.keyboard.press('Escape')
      await layer.waitFor({ state: 'detached', timeout: NEVER_MS }).catch(() => {
        wrong.push(`${screen.name}: Escape does not close`)
      })
      const lost = await page
        .waitForFunction(() => document.activeElement !== document.body, null, {
          timeout: NEVER_MS,
        })
        .then(() => false)
        .catch(() => true)
      if (lost && screen.name !== 'palette') wrong.push(`${screen.name}: the cursor is lost`)
    }
    expect(wrong).toEqual([])
  }, 240_000)

  it('asks before typed changes are lost: Escape, beside, cross, another page', async () => {
    await page.goto('/')
    await page.getByRole('link', { name: 'Accounts' }).first().click()
    await page.getByRole('button', { name: 'New account' }).click()
    const drawer = page.getByRole('dialog', { name: 'New account' })
    await drawer.getByLabel('Username').fill('nora')
    const keep = async () => {
      await question().getByRole('button', { name: 'Keep editing' }).click()
      await question().waitFor({ state: 'detached' })
      expect(await drawer.getByLabel('Username').inputValue()).toBe('nora')
    }
    await page.keyboard.press('Escape')
    await keep()
    await page.mouse.click(300, 700)
    await keep()
    await drawer.getByRole('button', { name: 'Close' }).click()
    await keep()
    await page.evaluate(() => history.back())
    await keep()
    await page.keyboard.press('Escape')
    await question().getByRole('button', { name: 'Discard changes' }).click()
    await drawer.waitFor({ state: 'detached' })
    await page.goto('/accounts?new=1')
    expect(await drawer.getByLabel('Username').inputValue()).toBe('')
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
  })

  it('asks before the tab is closed on changes, and only then', async () => {
    await page.goto('/accounts?new=1')
    await page.getByRole('dialog').getByLabel('Username').fill('nora')
    const asked = page.waitForEvent('dialog')
    const closing = page.close({ runBeforeUnload: true })
    const dialog = await asked
    expect(dialog.type()).toBe('beforeunload')
    await dialog.dismiss()
    await closing
    await question().waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await question().getByRole('button', { name: 'Discard changes' }).click()
    const again = (await openPage(browser, panel.origin)).page
    await logInByApi(again)
    await again.goto('/accounts?new=1')
    // A browser asks nobody who has not touched the page.
    await again.keyboard.press('Tab')
    const closed = again.waitForEvent('close')
    await again.close({ runBeforeUnload: true })
    await closed
  })

  it('moves nothing for those who want no motion, and shows where the cursor is', async () => {
    const calm = (await openPage(browser, panel.origin, { reducedMotion: 'reduce' })).page
    await logInByApi(calm)
    await calm.goto('/accounts?new=1')
    const longest = await calm.evaluate(() =>
      Math.max(
        ...[...document.querySelectorAll('*')].map((element) => {
          const { animationDuration, transitionDuration } = getComputedStyle(element)
          return Math.max(
            Number.parseFloat(animationDuration),
            Number.parseFloat(transitionDuration),
          )
        }),
      ),
    )
    expect(longest).toBeLessThan(0.001)
    await calm.keyboard.press('Escape')
    await calm.goto('/accounts')
    const unseen: string[] = []
    for (let presses = 0; presses < 25; presses += 1) {
      await calm.keyboard.press('Tab')
      const look = await calm.evaluate(() => {
        const element = document.activeElement
        if (!element || element === document.body) return null
        const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element)
        const shown = (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none'
        return { shown, name: element.outerHTML.slice(0, 90) }
      })
      if (look && !look.shown) unseen.push(look.name)
    }
    expect(unseen).toEqual([])
    await calm.context().close()
  })

  it('runs commands from the palette: theme, web server, language', async () => {
    await page.goto('/')
    await command('theme: dark')
    expect(await page.getAttribute('html', 'data-theme')).toBe('dark')
    await command('restart web')
    await page.getByRole('status').getByText('Web server restarted').waitFor()
    await command('language: deutsch')
    await page.getByRole('heading', { name: 'Übersicht', level: 1 }).waitFor()
    expect(await page.getAttribute('html', 'lang')).toBe('de')
    await page.locator('html[data-ready]').waitFor({ state: 'attached' })
    await command('sprache: english')
    await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
  })
})
