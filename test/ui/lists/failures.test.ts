import { describe, expect, it } from 'vitest'
import { callApi, createAccount, setUpByApi } from '../support/log-in.ts'
import { page, panel, panelInBrowser, watched } from '../support/panel-in-browser.ts'

describe('lists that fail, are long, or are worked on as a whole', () => {
  panelInBrowser(async () => {
    await setUpByApi(page)
    for (const name of ['lena', 'otto', 'mira']) await createAccount(page, name)
    for (const domain of ['lena.example', 'otto.example'])
      await callApi(page, 'POST', '/api/ssl/provision', { domain, force: true })
    for (let nth = 0; nth < 2; nth++) await callApi(page, 'POST', '/api/backups/accounts/1')
  })

  const rows = (kind: string) => page.locator(`tr[data-${kind}]`)
  const bar = () => page.getByRole('toolbar')
  const report = () => page.getByRole('region', { name: 'Actions on several rows' })
  const closeReport = () => report().getByRole('button', { name: 'Close the report' }).click()

  it.each([
    ['accounts', 'Accounts', 'store.listAccounts', 'account'],
    ['domains', 'Domains', 'store.listDomains', 'domain'],
    ['ssl', 'SSL', 'store.listCertificates', 'certificate'],
    ['php', 'Accounts', 'php.versions', 'account'],
  ])(
    '/%s says what failed and why, and is there after a retry',
    async (path, what, fault, kind) => {
      await panel.breakHost(fault)
      try {
        await page.goto(`/${path}?account=1`)
        const alert = page.getByRole('alert').filter({ hasText: `${what} could not be loaded` })
        await alert.getByText(/is not reachable|cannot be read/).waitFor()
        expect(await rows(kind).count()).toBe(0)
        await watched.screenshot(`lists-failed-${path}`)
        // Still broken: it stays, and can be tried again.
        const retry = alert.getByRole('button', { name: 'Try again' })
        const tried = page.waitForResponse((response) => response.url().includes('__data.json'))
        await retry.click()
        await tried
        await expect.poll(() => retry.isEnabled()).toBe(true)
        await panel.mend()
        await retry.click()
        await rows(kind).first().waitFor()
        expect(await alert.count()).toBe(0)
      } finally {
        await panel.mend()
      }
    },
  )

  it('renew several certificates, tell which failed, and try it again', async () => {
    await page.goto('/ssl')
    await page.getByLabel('Select all rows of this page').check()
    await bar().getByRole('button', { name: 'Renew' }).click()
    await report().getByText('Renew 2 certificates').waitFor()
    await report().getByText('2 of 2 done').waitFor()
    await closeReport()

    await panel.breakHost('certificates.issue')
    await page.goto('/ssl')
    await page.getByLabel('Select otto.example', { exact: true }).check()
    await bar().getByRole('button', { name: 'Renew' }).click()
    await report().getByText('0 of 1 done · 1 failed', { exact: true }).waitFor()
    const failed = report().locator('[data-failed="otto.example"]')
    await failed.getByText('The host agent is not reachable').waitFor()
    await page.locator('tr[data-certificate-error="otto.example"]').waitFor()
    await watched.screenshot('lists-renewal-failed')
    await panel.mend()
    await failed.getByRole('button', { name: 'Try otto.example again' }).click()
    await report().getByText('1 of 1 done', { exact: true }).waitFor()
    await page.locator('tr[data-certificate-error]').waitFor({ state: 'detached' })
    await closeReport()
  })

  it('delete several backups after their number was typed', async () => {
    await page.goto('/backups?account=1')
    expect(await rows('backup').count()).toBe(2)
    await page.getByLabel('Select all rows of this page').check()
    await bar().getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete 2 backups?' })
    await dialog.getByText(/^2 copies, .+ together$/).waitFor()
    await dialog.getByText('Copies of them in other places stay').waitFor()
    const confirm = dialog.getByRole('button', { name: 'Delete 2 backups' })
    await dialog.getByLabel('Type 2 to confirm').fill('1')
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByLabel('Type 2 to confirm').fill('2')
    await confirm.click()
    await report().getByText('2 of 2 done').waitFor()
    await page.getByText('lena has no backups yet.').waitFor()
    await closeReport()
  })

  it('takes a suspension for done that was finished after its answer had failed', async () => {
    await panel.breakHost('webServer.apply')
    await page.goto('/accounts')
    await page.getByRole('button', { name: 'Actions for mira' }).click()
    await page.getByRole('menuitem', { name: 'Suspend' }).click()
    const dialog = page.getByRole('dialog', { name: 'Suspend mira?' })
    const submit = dialog.getByRole('button', { name: 'Suspend account' })
    await submit.click()
    await dialog.getByText('not every step is done yet').waitFor()
    await panel.mend()
    await submit.click()
    await page.getByText('Account mira suspended').waitFor()
    await dialog.waitFor({ state: 'hidden' })
    await rows('account').filter({ hasText: 'mira' }).getByText('Suspended').waitFor()
  })

  it('find one of more accounts than a choice offers', async () => {
    await panel.fill({ accounts: 230, domainsOfEach: 1 })
    for (const path of ['files', 'databases', 'backups']) {
      await page.goto(`/${path}?account=1`)
      const select = page.getByLabel('Account', { exact: true })
      // `u99` is behind the first two hundred names.
      expect(await select.locator('option', { hasText: /^u99$/ }).count()).toBe(0)
      await page.getByLabel('Filter accounts').fill('u99')
      await select.locator('option', { hasText: /^u99$/ }).waitFor({ state: 'attached' })
      await select.selectOption('u99')
      await expect.poll(() => new URL(page.url()).searchParams.get('account')).not.toBe('1')
      expect(await select.locator('option:checked').innerText()).toBe('u99')
      // The address alone brings it back.
      await page.reload()
      expect(await select.locator('option:checked').innerText()).toBe('u99')
    }
    await page.goto('/domains?new=1')
    const drawer = page.getByRole('dialog', { name: 'Add domain' })
    await drawer.getByLabel('Filter accounts').fill('u99')
    const choice = drawer.getByLabel('Account', { exact: true })
    await choice.locator('option', { hasText: /^u99$/ }).waitFor({ state: 'attached' })
    await choice.selectOption('u99')
    await drawer.getByLabel('Domain', { exact: true }).fill('shop.example')
    expect(await drawer.getByLabel('Document root').inputValue()).toBe('/home/u99/shop.example')
    await watched.screenshot('lists-account-search')
  })

  it('page what the accounts run, with one question to the API', async () => {
    await page.goto('/php')
    await page.getByText('1–25 of 233 accounts').waitFor()
    expect(await rows('account').count()).toBe(25)
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('26–50 of 233 accounts').waitFor()
    await page.getByLabel('Filter accounts').fill('lena')
    await expect.poll(() => rows('account').count()).toBe(1)
    await page.getByLabel('PHP version of lena').last().selectOption('8.1')
    await page.getByRole('button', { name: 'Apply to lena' }).click()
    await page.getByText('lena runs PHP 8.1 as FPM').waitFor()
    expect(new URL(page.url()).searchParams.get('q')).toBe('lena')
    await page.getByLabel('Filter accounts').fill('nothing like it')
    await page.getByText('Nothing matches the filter.').waitFor()
    await page.getByRole('button', { name: 'Clear filter' }).click()
    await page.getByText('1–25 of 233 accounts').waitFor()
  })

  it('has broken no rule of the content policy and asked no other host', () => {
    expect(watched.complaints).toEqual([])
  })
})
