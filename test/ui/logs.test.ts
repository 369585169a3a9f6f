import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { createAccount, logInByApi, setUpByApi } from './support/log-in.ts'
import { openPage } from './support/open-browser.ts'
import { overhangsOf } from './support/looks/overhangs.ts'
import { browser, page, panel, panelInBrowser, watched } from './support/panel-in-browser.ts'

const HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=1</script>'

/** An access line of `agoSecs` ago. */
const line = (
  path: string,
  { host = 'lena.example', status = 200, method = 'GET', agent = 'Mozilla/5.0', agoSecs = 0 } = {},
): string => {
  const [, day, month, year, time] =
    /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(new Date(Date.now() - agoSecs * 1000).toUTCString()) ??
    []
  return `192.0.2.17 - - [${day}/${month}/${year}:${time} +0000] "${method} ${path} HTTP/2.0" ${status} 5321 "-" "${agent}" ${host} MISS 0.024`
}

describe('logs', () => {
  panelInBrowser(async () => {
    await setUpByApi(page)
    await createAccount(page, 'lena')
    await createAccount(page, 'otto')
  })

  const rows = (on = page) => on.locator('[data-log-row]')
  const scroller = () => page.getByRole('region', { name: 'Lines of the log' })

  it('says so when nothing was written yet', async () => {
    await page.goto('/')
    await page.getByRole('link', { name: 'Logs' }).click()
    await page.getByText('Nothing was written to this log yet.').waitFor()
  })

  it('shows requests with the newest in view, and no markup of theirs', async () => {
    await panel.writeLog(
      'access',
      ...Array.from({ length: 260 }, (_, index) =>
        line(`/page-${index}?token=hunter2`, {
          status: [200, 200, 301, 404, 200, 200, 503][index % 7] ?? 200,
          host: index % 3 === 0 ? 'otto.example' : 'lena.example',
          method: index % 11 === 0 ? 'POST' : 'GET',
          agoSecs: (260 - index) * 30,
        }),
      ),
      line(`/search?q=${HOSTILE.replaceAll('"', '\\x22')}`, {
        agent: HOSTILE.replaceAll('"', '\\x22'),
      }),
    )
    await page.goto('/logs')
    expect(await rows().count()).toBe(200)
    expect(await rows().last().innerText()).toContain('<script>')
    expect(await rows().last().isVisible()).toBe(true)
    expect(await page.title()).toBe('Logs · Berth')
    expect(await page.locator('main img').count()).toBe(0)
    expect(await page.locator('main').innerText()).not.toContain('hunter2')
  })

  it('gets older lines without losing the place', async () => {
    await scroller().evaluate((it) => (it.scrollTop = 0))
    const first = await rows().first().innerText()
    await page.getByRole('button', { name: 'Older lines' }).click()
    await page.getByText('Beginning of the log').waitFor({ state: 'attached' })
    expect(await rows().count()).toBe(261)
    const top = await scroller().evaluate((it) => it.scrollTop)
    expect(top).toBeGreaterThan(500)
    expect(await rows().nth(61).innerText()).toBe(first)
  })

  it('filters, marks what was searched, and keeps it in the address', async () => {
    await page.goto('/logs')
    await page.getByRole('button', { name: '5xx', exact: true }).click()
    await page.waitForURL(/status=5xx/)
    await page.getByRole('button', { name: '5xx', exact: true, pressed: true }).waitFor()
    await page.waitForFunction(() => document.querySelectorAll('[data-log-row]').length === 37)
    await page.getByLabel('Search in lines').fill('PAGE-20')
    await page.waitForURL(/q=PAGE-20/)
    await page.locator('mark').first().waitFor()
    expect(await page.locator('mark').first().innerText()).toBe('page-20')
    await page.reload()
    expect(await page.getByLabel('Search in lines').inputValue()).toBe('PAGE-20')
    expect(await rows().count()).toBe(3)
    await page.getByRole('button', { name: 'Domain' }).click()
    await page.getByRole('menuitem', { name: 'otto.example' }).click()
    await page.waitForURL(/domain=otto.example/)
    await page.getByLabel('Search in lines').fill('no such thing')
    await page.getByText('No line matches.').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await rows().first().waitFor()
    expect(new URL(page.url()).search).toBe('?source=access')
    await page.getByRole('button', { name: 'Time' }).click()
    await page.getByRole('menuitem', { name: 'Last 15 minutes' }).click()
    await page.waitForFunction(() => document.querySelectorAll('[data-log-row]').length < 40)
    await page.getByRole('button', { name: 'Time' }).click()
    await page.getByRole('menuitem', { name: 'From and to' }).click()
    await page.getByLabel('To (UTC)').fill('2020-01-01T00:00')
    await page.getByLabel('To (UTC)').blur()
    await page.getByText('No line matches.').waitFor()
  })

  it('opens a line with the keyboard alone', async () => {
    await page.goto('/logs')
    await rows().last().focus()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    const drawer = page.getByRole('dialog', { name: 'Line' })
    await drawer.getByText('GET /page-259?token=***', { exact: true }).waitFor()
    await drawer.getByText('Mozilla/5.0', { exact: true }).waitFor()
    await watched.screenshot('logs-drawer')
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'hidden' })
  })

  it('follows, waits while one reads further up, and goes on', async () => {
    await page.goto('/logs')
    await page.getByRole('switch', { name: 'Live' }).click({ force: true })
    await page.getByText('Live: new lines appear below').waitFor()
    await panel.writeLog('access', line('/fresh-1'))
    await rows().filter({ hasText: '/fresh-1' }).waitFor()
    await scroller().evaluate((it) => (it.scrollTop = 0))
    await page.getByText('Paused').waitFor()
    await panel.writeLog('access', line('/fresh-2'), line('/fresh-3'))
    await page.getByRole('button', { name: '2 new lines' }).waitFor()
    expect(await rows().filter({ hasText: '/fresh-3' }).count()).toBe(0)
    await watched.screenshot('logs-paused')
    await page.getByRole('button', { name: '2 new lines' }).click()
    await rows().filter({ hasText: '/fresh-3' }).waitFor()
    const rest = await scroller().evaluate((it) => it.scrollHeight - it.scrollTop - it.clientHeight)
    expect(rest).toBeLessThan(24)
    await page.getByText('Live: new lines appear below').waitFor()
  })

  it('keeps the page small, however much comes', async () => {
    await panel.writeLog(
      'access',
      ...Array.from({ length: 2500 }, (_, index) => line(`/flood-${index}`)),
    )
    await rows().filter({ hasText: '/flood-2499' }).waitFor({ timeout: 30_000 })
    expect(await rows().count()).toBe(2000)
    await page.getByRole('switch', { name: 'Live' }).click({ force: true })
    await page.getByText('2000 lines are shown at most').waitFor({ state: 'attached' })
  })

  it('wraps, and downloads what is shown', async () => {
    await page.goto('/logs?q=fresh')
    const height = () =>
      rows()
        .first()
        .evaluate((it) => it.getBoundingClientRect().height)
    await panel.writeLog('access', line(`/fresh-${'long'.repeat(200)}`))
    await page.reload()
    const before = await rows()
      .last()
      .evaluate((it) => it.getBoundingClientRect().height)
    await page.getByRole('button', { name: 'Wrap long lines' }).click()
    await page.waitForURL(/wrap=1/)
    expect(
      await rows()
        .last()
        .evaluate((it) => it.getBoundingClientRect().height),
    ).toBeGreaterThan(before)
    expect(await height()).toBe(before)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    expect((await download).suggestedFilename()).toBe('access.log')
  })

  it('says what failed, and recovers', async () => {
    await panel.breakHost('logs.read')
    await page.goto('/logs')
    await page.getByText('Access could not be loaded').waitFor()
    await watched.screenshot('logs-failed')
    await panel.mend()
    await page.getByRole('button', { name: 'Try again' }).click()
    await rows().first().waitFor()
  })

  it('shows an account its own lines, in three logs', async () => {
    const now = new Date().toISOString()
    await panel.writeLog(
      'php',
      `${now} lena.example: PHP message: PHP Fatal error:  Uncaught Error: Call to undefined function foo()`,
      `${now} otto.example: PHP message: PHP Warning:  Undefined variable $a`,
      `${now} lena.example: PHP message: PHP Warning:  Undefined array key 1 in /home/lena/public_html/index.php on line 7`,
    )
    const own = await openPage(browser, panel.origin, { viewport: { width: 360, height: 780 } })
    await logInByApi(own.page, { username: 'lena', password: 'correct horse 9' })
    await own.page.goto('/logs')
    const tabs = own.page.getByRole('navigation', { name: 'Logs' }).getByRole('link')
    expect(await tabs.allInnerTexts()).toEqual(['Access', 'Errors', 'PHP'])
    await tabs.nth(2).click()
    await rows(own.page).filter({ hasText: 'Undefined array key' }).waitFor()
    expect(await rows(own.page).count()).toBe(2)
    expect(await own.page.locator('main').innerText()).not.toContain('Undefined variable')
    await own.page.goto('/logs?source=panel')
    await own.page.getByText('Only an administrator may do this.').waitFor()
    expect(own.complaints).toEqual([])
    await own.page.context().close()
  })

  it('nothing sticks out at any width, light and dark', async () => {
    const sized = await openPage(browser, panel.origin)
    await logInByApi(sized.page)
    const ready = (of: Page) => rows(of).first().waitFor()
    const screens = [
      { name: 'logs-access', path: '/logs?status=4xx', ready },
      { name: 'logs-live', path: '/logs?q=page&live=1', ready },
      { name: 'logs-php', path: '/logs?source=php', ready },
    ]
    expect(await overhangsOf(sized, screens)).toEqual({})
    expect(sized.complaints).toEqual([])
    await sized.page.context().close()
  })

  it('speaks German too', async () => {
    const cookie = { name: 'berth_language', value: 'de', url: panel.origin }
    await page.context().addCookies([cookie])
    await page.goto('/logs?source=php')
    await page.getByRole('heading', { name: 'Protokolle', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Warnungen' }).waitFor()
    await watched.screenshot('logs-german')
    expect(watched.complaints).toEqual([])
  })
})
