import { describe, expect, it } from 'vitest'
import { callApi, createAccount, logInByApi, setUpByApi } from '../support/log-in.ts'
import { openPage } from '../support/open-browser.ts'
import { overhangsOf, SCHEMES } from '../support/looks/overhangs.ts'
import { browser, page, panel, panelInBrowser, watched } from '../support/panel-in-browser.ts'

describe('cron jobs', () => {
  panelInBrowser(
    async () => {
      await setUpByApi(page)
      await createAccount(page, 'lena', { plan: 'pro' })
      await createAccount(page, 'otto')
    },
    { timezoneId: 'Europe/Berlin' },
  )

  const row = (name: string) => page.locator(`tr[data-cron="${name}"]`)
  /** Phones see some of it at another place, which a desk has hidden. */
  const says = (name: string, text: string) =>
    row(name).getByText(text, { exact: true }).filter({ visible: true }).waitFor()
  const act = async (name: string, item: string) => {
    await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click()
    await page.getByRole('menuitem', { name: item, exact: true }).click()
  }
  const drawer = (name: string) => page.getByRole('dialog', { name, exact: true })
  const jobs = async () => {
    const { body } = await callApi(page, 'GET', '/api/cron')
    return (body as unknown as { data: Record<string, unknown>[] }).data
  }

  it('says what there could be while there is nothing, and leads on', async () => {
    await page.goto('/cron')
    await page.getByText('No cron jobs yet.').waitFor()
    await page.getByRole('button', { name: 'New cron job' }).last().click()
    await drawer('New cron job').waitFor()
    await page.keyboard.press('Escape')
    await drawer('New cron job').waitFor({ state: 'detached' })
  })

  it('makes a job by choices and shows its next runs in its time zone', async () => {
    await page.goto('/cron?new=1')
    const form = drawer('New cron job')
    await form.getByLabel('Account').selectOption('lena')
    await form.getByLabel('Name').fill('Weekly report')
    await form.getByLabel('Runs', { exact: true }).selectOption('Every week')
    await form.getByLabel('On', { exact: true }).selectOption('Monday')
    await form.getByLabel('At', { exact: true }).fill('04:15')
    expect(await form.getByLabel('Time zone').inputValue()).toBe('Europe/Berlin')
    const next = form.locator('[data-next-runs] li')
    await next
      .filter({ hasText: /^Mon, .*04:15/ })
      .nth(4)
      .waitFor()
    expect(await next.count()).toBe(5)
    await form.getByLabel('Command').fill('write reported 0')
    await watched.screenshot('cron-create')
    await form.getByRole('button', { name: 'Create cron job' }).click()
    await says('Weekly report', 'Mondays at 04:15')
    await says('Weekly report', 'Europe/Berlin')
    await row('Weekly report').getByRole('link', { name: 'lena' }).waitFor()
    await says('Weekly report', 'Not yet')
    expect(await jobs()).toMatchObject([
      {
        account_id: 1,
        schedule: '15 4 * * 1',
        time_zone: 'Europe/Berlin',
        kind: 'shell',
        command: 'write reported 0',
        time_limit_secs: 3600,
        overlap: 'skip',
        notify_after: 3,
      },
    ])
  })

  it('says at the field what is wrong, also before anything is sent', async () => {
    await page.goto('/cron?account=2&new=1')
    const form = drawer('New cron job')
    await form.getByLabel('Runs', { exact: true }).selectOption('Every hour')
    const minute = form.getByLabel('At minute')
    await minute.fill('75')
    await form.getByLabel('Name').focus()
    await form.getByText('Enter a whole number from 0 to 59.').waitFor()
    await minute.fill('45')
    await form.getByText('Of each hour').waitFor()
    await form.locator('[data-next-runs]').getByText(/:45$/).first().waitFor()
    await form.getByLabel('Runs', { exact: true }).selectOption('By five fields')
    const fields = form.getByLabel('Schedule')
    expect(await fields.inputValue()).toBe('45 * * * *')
    await fields.fill('0 0 30 2 *')
    await form.getByText(/never comes true/).waitFor()
    expect(await fields.getAttribute('aria-invalid')).toBe('true')
    await form.getByLabel('What runs').selectOption('Address')
    await form.getByLabel('Address', { exact: true }).fill('example.com')
    await fields.fill('15 3 * * mon-fri')
    await form.getByText('Enter an address such as').waitFor()
    await form.locator('[data-next-runs] li').nth(4).waitFor()
    await form.getByText('More', { exact: true }).click()
    await form.getByLabel('Time limit, seconds').fill('0')
    await form.getByRole('button', { name: 'Create cron job' }).click()
    await form.getByText('Enter a whole number from 1 to 86400.').waitFor()
    await form.getByText('Fill in this field.').waitFor()
    await watched.screenshot('cron-errors')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Discard changes' }).click()
    expect(await jobs()).toHaveLength(1)
  })

  it('keeps a program with its arguments as they are, one a line', async () => {
    await page.goto('/cron?account=1')
    await page.getByText(/^1 of \d+ cron jobs$/).waitFor()
    await act('Weekly report', 'Edit')
    const form = drawer('Edit Weekly report')
    expect(await form.getByLabel('On', { exact: true }).inputValue()).toBe('1')
    await form.getByLabel('What runs').selectOption('Program with arguments')
    await form.getByLabel('Program and arguments').fill('write\nfirst line\n<b>second</b> *\n')
    await form.getByRole('button', { name: 'Save cron job' }).click()
    await form.getByText('Fill in this field.').waitFor({ state: 'detached' })
    await page.getByText('Cron job Weekly report saved').waitFor()
    expect(await jobs()).toMatchObject([
      { kind: 'command', command: ['write', 'first line', '<b>second</b> *'] },
    ])
  })

  it('runs a job now, follows it and shows what it wrote', async () => {
    const command = ['write', `${'a long line '.repeat(40)}\n<b>second</b>`, '3']
    await callApi(page, 'PATCH', '/api/cron/1/1', { command })
    await page.goto('/cron')
    await act('Weekly report', 'Run now')
    const runs = drawer('Runs of Weekly report')
    const run = runs.locator('[data-run="failed"]')
    await run.getByText('Exit code 3').waitFor()
    await run.getByText('By hand').waitFor()
    const output = runs.getByRole('region', { name: /^Output of the run/ })
    expect(await output.innerText()).toBe(command[1])
    await run.getByRole('button', { name: 'Copy' }).waitFor()
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme })
      await watched.screenshot(`cron-runs-${colorScheme}`)
    }
    await page.emulateMedia({ colorScheme: 'light' })
    await runs.getByRole('button', { name: 'Close' }).last().click()
    await says('Weekly report', 'Failed')
  })

  it('ends a run that is under way', async () => {
    await callApi(page, 'PATCH', '/api/cron/1/1', { command: ['last'] })
    await page.goto('/cron')
    await act('Weekly report', 'Run now')
    const runs = drawer('Runs of Weekly report')
    const run = runs.locator('[data-run="running"]')
    await run.getByText('What it writes is shown when it is over.').waitFor()
    await run.getByRole('button', { name: 'End this run' }).click()
    await runs.locator('[data-run="killed"]').waitFor()
    await says('Weekly report', 'Ended')
    await page.keyboard.press('Escape')
  })

  it('filters, searches, and switches a job off and on', async () => {
    const other = { account_id: 2, name: 'Ping', schedule: '*/5 * * * *', kind: 'url' }
    await callApi(page, 'POST', '/api/cron', { ...other, command: 'https://otto.example/ping' })
    await page.goto('/cron')
    await says('Ping', 'Every 5 minutes')
    await page.getByLabel('Run Ping at its times').uncheck({ force: true })
    await page.getByText('Ping is off').waitFor()
    await says('Ping', 'Off')
    expect(await jobs()).toMatchObject([{ name: 'Ping', enabled: false }, { enabled: true }])
    await page.goto('/cron?enabled=false')
    await row('Ping').waitFor()
    expect(await row('Weekly report').count()).toBe(0)
    await page.goto('/cron?outcome=killed')
    await row('Weekly report').waitFor()
    expect(await row('Ping').count()).toBe(0)
    await page.goto('/cron')
    await page.getByLabel('Filter cron jobs').fill('ping')
    await row('Weekly report').waitFor({ state: 'detached' })
    await act('Ping', 'Switch on')
    await page.getByText('Ping is on').waitFor()
  })

  it('says why a job could not begin, and keeps the drawer', async () => {
    await page.goto('/cron')
    await callApi(page, 'POST', '/api/accounts/2/suspend', { reason: 'unpaid' })
    await act('Ping', 'Run now')
    await page.getByText(/Account otto is/).waitFor()
    await drawer('Runs of Ping').getByText('It has not run yet.').waitFor()
    await callApi(page, 'POST', '/api/accounts/2/unsuspend')
  })

  it('deletes after the name was typed', async () => {
    await page.goto('/cron')
    await act('Ping', 'Delete')
    await page.getByLabel('Type Ping to confirm').fill('Ping')
    await page.getByRole('button', { name: 'Delete cron job' }).click()
    await row('Ping').waitFor({ state: 'detached' })
    expect(await jobs()).toHaveLength(1)
  })

  it('nothing sticks out at any width, light and dark', async () => {
    const sized = await openPage(browser, panel.origin)
    await logInByApi(sized.page)
    const screens = [
      { name: 'cron', path: '/cron' },
      { name: 'cron-account', path: '/cron?account=1' },
      { name: 'cron-none', path: '/cron?account=2' },
    ]
    expect(await overhangsOf(sized, screens)).toEqual({})
    expect(sized.complaints).toEqual([])
    await sized.page.context().close()
  })

  it('can be used on a phone by the account itself', async () => {
    const viewport = { width: 360, height: 740 }
    const phone = await openPage(browser, panel.origin, { viewport, colorScheme: 'dark' })
    await logInByApi(phone.page, { username: 'otto', password: 'correct horse 9' })
    await phone.page.goto('/cron')
    await phone.page.getByRole('button', { name: 'New cron job' }).first().click()
    const form = phone.page.getByRole('dialog', { name: 'New cron job' })
    await form.getByLabel('Name').fill('Nightly')
    await form.getByLabel('Runs', { exact: true }).selectOption('Every day')
    await form.getByLabel('Command').fill('write done 0')
    await phone.screenshot('cron-phone-create')
    await form.getByRole('button', { name: 'Create cron job' }).click()
    const mine = phone.page.locator('tr[data-cron="Nightly"]')
    await mine.getByText('Daily at 03:00', { exact: true }).filter({ visible: true }).waitFor()
    await mine.getByRole('button', { name: 'Nightly', exact: true }).click()
    const runs = phone.page.getByRole('dialog', { name: 'Runs of Nightly' })
    await runs.getByRole('button', { name: 'Run now' }).click()
    await runs.locator('[data-run="ok"]').waitFor()
    await phone.screenshot('cron-phone-runs')
    expect(phone.complaints).toEqual([])
    await phone.page.context().close()
  })

  it('has broken no rule of the content policy and asked no other host', () => {
    expect(watched.complaints).toEqual([])
  })
})
