import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { makeCertificate } from '#test/support/make-certificate.ts'
import { watchLitRows } from './support/lit-rows.ts'
import { callApi, createAccount, logInByApi, setUpByApi } from './support/log-in.ts'
import { openPage } from './support/open-browser.ts'
import { overhangsOf } from './support/looks/overhangs.ts'
import { browser, page, panel, panelInBrowser, watched } from './support/panel-in-browser.ts'

describe('certificates', () => {
  panelInBrowser(async () => {
    await setUpByApi(page)
    await createAccount(page, 'lena', { plan: 'pro' })
    await createAccount(page, 'otto')
    // The authority of the test refuses this name; `unreachable.` does not lead here.
    for (const name of ['refused', 'unreachable', 'prompt', 'hand'].map(
      (one) => `${one}.lena.example`,
    ))
      await callApi(page, 'POST', '/api/domains', {
        account_id: 1,
        domain_name: name,
        domain_type: 'subdomain',
        document_root: `/home/lena/${name}`,
      })
  })

  const row = (name: string) => page.locator(`tr[data-certificate="${name}"]`)
  const provisioning = () => page.getByRole('dialog', { name: 'Provision certificate' })
  const menu = async (name: string, action: string) => {
    await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click()
    await page.getByRole('menuitem', { name: action }).click()
  }
  const provision = async (name: string) => {
    await page.getByRole('button', { name: 'Provision certificate' }).first().click()
    await provisioning().getByLabel('Domain').fill(name)
    await provisioning().getByRole('button', { name: 'Provision' }).click()
  }

  it('invites to obtain the first one', async () => {
    await page.goto('/ssl')
    await page.getByText('No certificates yet.').waitFor()
    await watched.screenshot('ssl-empty')
  })

  it('a zone is added on the page of the account, and wildcards are proved by it', async () => {
    await page.goto('/accounts/lena')
    await page.getByRole('button', { name: 'Add zone' }).click()
    const adding = page.getByRole('dialog', { name: 'Add DNS access' })
    const fill = async (values: Record<string, string>) => {
      for (const [label, value] of Object.entries(values))
        await adding.getByLabel(label, { exact: true }).fill(value)
      await adding.getByRole('button', { name: 'Try and add' }).click()
    }
    const key = { 'Name of the key': 'berth-key', 'Secret of the key': 'c2VjcmV0IG9mIHRoZSBrZXk=' }
    await fill({ Name: 'main', Zone: 'shop', 'Primary server': 'down.lena.example', ...key })
    await adding.getByText('Enter a zone such as').waitFor()
    await fill({ Zone: 'lena.example' })
    await adding.getByText('does not answer').waitFor()
    await fill({ 'Primary server': 'ns1.lena.example' })
    const zone = page.locator('[data-dns-access="main"]')
    await zone.getByText('ns1.lena.example · key berth-key').waitFor()
    await watched.screenshot('dns-access')
    await zone.getByRole('button', { name: 'Change main' }).click()
    const changing = page.getByRole('dialog', { name: 'Change main' })
    await changing.getByRole('button', { name: 'Try and change' }).click()
    await changing.getByText('Change something first.').waitFor()
    await changing.getByLabel('Primary server').fill('down.lena.example')
    await changing.getByRole('button', { name: 'Try and change' }).click()
    await changing.getByText('does not answer').waitFor()
    await changing.getByLabel('Primary server').fill('ns2.lena.example')
    await watched.screenshot('dns-access-change')
    await changing.getByRole('button', { name: 'Try and change' }).click()
    await zone.getByText('ns2.lena.example · key berth-key').waitFor()
    await zone.getByRole('button', { name: 'Remove main' }).click()
    const removing = page.getByRole('dialog', { name: 'Remove main?' })
    await removing.getByText('Wildcards in lena.example are renewed no more').waitFor()
    await removing.getByLabel('Type main to confirm').fill('main')
    await removing.getByRole('button', { name: 'Remove zone' }).click()
    await zone.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Add zone' }).click()
    await adding.getByLabel('Where the zone is').selectOption({ label: 'Cloudflare' })
    await adding.getByLabel('Primary server').waitFor({ state: 'detached' })
    await fill({ Name: 'cloud', Zone: 'lena.example', 'API token': 'short' })
    await adding.getByText('Enter the token as the provider shows it').waitFor()
    await watched.screenshot('dns-access-provider')
    await fill({ 'API token': 'v1_token-of-a-provider-0123456789' })
    await page.locator('[data-dns-access="cloud"]').getByText('Cloudflare').waitFor()
    await page.getByRole('button', { name: 'Add zone' }).click()
    await adding.getByLabel('Where the zone is').selectOption({ label: 'acme-dns' })
    await fill({ Name: 'away', 'Name to be proved': 'away.example' })
    await fill({ 'Address of the acme-dns': 'https://auth.example' })
    const away = page.locator('[data-dns-access="away"]')
    await away.getByText('_acme-challenge.away.example').waitFor()
    await away.getByText('away.acme-dns.example').waitFor()
    expect(await away.getByRole('button', { name: 'Change away' }).count()).toBe(0)
    await watched.screenshot('dns-access-acme-dns')
  })

  it('obtains that of the panel itself, whose zone is an access of its own', async () => {
    await page.goto('/ssl')
    const own = page.locator('[data-panel-certificate="panel.example"]')
    await own.getByText('It has none yet').waitFor()
    await own.getByRole('button', { name: 'Provision for the panel' }).click()
    await provisioning().getByRole('button', { name: 'Provision' }).click()
    await own.getByText('Valid').waitFor()
    await row('panel.example').waitFor()
    await page.getByRole('button', { name: 'Add zone' }).click()
    const adding = page.getByRole('dialog', { name: 'Add DNS access' })
    await adding.getByLabel('Where the zone is').selectOption({ label: 'deSEC' })
    for (const [label, value] of [
      ['Name', 'own'],
      ['Zone', 'panel.example'],
      ['API token', 'v1_token-of-a-provider-0123456789'],
    ] as const)
      await adding.getByLabel(label, { exact: true }).fill(value)
    await adding.getByRole('button', { name: 'Try and add' }).click()
    await page.locator('[data-dns-access="own"]').getByText('deSEC').waitFor()
    await watched.screenshot('ssl-panel')
    await callApi(page, 'DELETE', '/api/ssl/certificate/panel.example')
  })

  it('says at the field what cannot be ordered', async () => {
    await page.goto('/ssl')
    await page.getByRole('button', { name: 'Provision certificate' }).first().click()
    await provisioning().getByRole('button', { name: 'Provision' }).click()
    await provisioning().getByText('Fill in this field.').waitFor()
    await watched.screenshot('ssl-provision')
    await provisioning().getByLabel('Domain').fill('nobody.example')
    await provisioning().getByRole('button', { name: 'Provision' }).click()
    await provisioning().getByText('nobody.example is not hosted here').waitFor()
  })

  it('obtains one, and its row lights up', async () => {
    await page.goto('/ssl')
    const lit = await watchLitRows(page)
    await provision('lena.example')
    await row('lena.example').getByText('Valid').waitFor()
    await expect.poll(lit).toEqual(['lena.example'])
    await page.getByText('Certificate for lena.example is served').waitFor()
    const cells = await row('lena.example').innerText()
    expect(cells).toContain('Fake Authority')
    expect(cells).toMatch(/(89|90) days left/)
    expect(await provisioning().count()).toBe(0)
  })

  it('shows the records to set where the DNS is elsewhere, and goes on once they are there', async () => {
    await page.goto('/ssl')
    const byHand = async (name: string) => {
      await page.getByRole('button', { name: 'Provision certificate' }).first().click()
      await provisioning().getByLabel('Domain').fill(name)
      await provisioning().getByText('More', { exact: true }).click()
      await provisioning()
        .getByLabel('How names are proved')
        .selectOption({ label: 'By records that I set myself' })
      await provisioning().getByRole('button', { name: 'Provision' }).click()
    }
    const records = (name: string) => page.getByRole('dialog', { name: `Records for ${name}` })
    await byHand('refused.lena.example')
    await provisioning().getByText('The authority refused it.').waitFor()
    await page.goto('/ssl')
    await byHand('hand.lena.example')
    const waiting = records('hand.lena.example')
    await waiting.getByText('_acme-challenge.hand.lena.example').waitFor()
    await waiting.getByText('Not shown yet').first().waitFor()
    await waiting.getByRole('button', { name: 'Check and go on' }).click()
    await waiting.getByText('Not all records are shown yet.').waitFor()
    await watched.screenshot('ssl-order')
    await page.keyboard.press('Escape')
    const listed = page.locator('[data-waiting-order="hand.lena.example"]')
    await listed.getByText('Waiting').waitFor()
    await watched.screenshot('ssl-orders')
    await listed.getByRole('button').click()
    await waiting.getByRole('button', { name: 'Give up' }).click()
    await page.getByText('The order for hand.lena.example is given up').waitFor()
    await listed.waitFor({ state: 'detached' })
    await byHand('prompt.lena.example')
    await records('prompt.lena.example').getByRole('button', { name: 'Check and go on' }).click()
    await page.getByText('Certificate for prompt.lena.example is served').waitFor()
    await row('prompt.lena.example').getByText('Valid').waitFor()
    await menu('prompt.lena.example', 'Details')
    await page.getByText('By you: each one needs records that you set').waitFor()
    await page.keyboard.press('Escape')
    await menu('prompt.lena.example', 'Renew')
    await records('prompt.lena.example').getByRole('button', { name: 'Give up' }).click()
    await callApi(page, 'DELETE', '/api/ssl/certificate/prompt.lena.example')
  })

  it('shows the step that failed and why, and goes back to the form as it was', async () => {
    await page.goto('/ssl')
    await provision('refused.lena.example')
    const running = page.getByRole('dialog', { name: 'Certificate for refused.lena.example' })
    await running.getByRole('alert').getByText('There is no new certificate').waitFor()
    await running.getByText('refused the order for refused.lena.example').waitFor()
    await running.locator('[data-step="check"][data-state="done"]').waitFor()
    await running.locator('[data-step="order"][data-state="failed"]').waitFor()
    await running.locator('[data-step="activate"][data-state="waiting"]').waitFor()
    await watched.screenshot('ssl-failed')
    await running.getByRole('button', { name: 'Change and try again' }).click()
    expect(await provisioning().getByLabel('Domain').inputValue()).toBe('refused.lena.example')
  })

  it('orders without looking first when that is asked for', async () => {
    await page.goto('/ssl')
    await provision('unreachable.lena.example')
    const running = page.getByRole('dialog', { name: 'Certificate for unreachable.lena.example' })
    await running.getByText('does not lead to this server').waitFor()
    await running.getByRole('button', { name: 'Change and try again' }).click()
    await provisioning().getByText('More', { exact: true }).click()
    await provisioning().getByText('Order without checking first').click()
    expect(
      await provisioning()
        .getByRole('switch', { name: /Order without/ })
        .isChecked(),
    ).toBe(true)
    await watched.screenshot('ssl-provision-more')
    await provisioning().getByRole('button', { name: 'Provision' }).click()
    await row('unreachable.lena.example').getByText('Valid').waitFor()
  })

  it('goes on when the drawer is closed, and tells how it ended', async () => {
    await page.goto('/ssl')
    const { promise: gate, resolve: open } = Promise.withResolvers<undefined>()
    await page.route('**/api/ssl/provision', async (route) => {
      await gate
      await route.continue()
    })
    await provision('refused.lena.example')
    const running = page.getByRole('dialog', { name: 'Certificate for refused.lena.example' })
    await running.getByText('It goes on when this is closed.').waitFor()
    await running.getByRole('button', { name: 'Go on in the background' }).click()
    await running.waitFor({ state: 'hidden' })
    open(undefined)
    await page.getByText('refused the order for refused.lena.example').first().waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.unroute('**/api/ssl/provision')
  })

  it('hears the end of work that was over before its start was answered', async () => {
    // Other work, which does not end, keeps the stream of events open.
    await page.route('**/api/jobs?*', async (route) => {
      const response = await route.fetch()
      const json = await response.json()
      json.data.unshift({ ...json.data[0], id: 'other', state: 'running', finished_at: null })
      await route.fulfill({ response, json })
    })
    const opened = page.waitForRequest('**/api/jobs/events')
    await page.goto('/ssl')
    await opened
    const ended = await page.evaluateHandle(async () => {
      const source = new EventSource('/api/jobs/events')
      await new Promise((resolve) => source.addEventListener('open', resolve))
      const end = new Promise<void>((resolve) =>
        source.addEventListener('job', ({ data }: MessageEvent<string>) => {
          if ((JSON.parse(data) as { finished_at: string | null }).finished_at) resolve()
        }),
      )
      return { end: end.finally(() => source.close()) }
    })
    await page.route('**/api/ssl/provision', async (route) => {
      const response = await route.fetch()
      await ended.evaluate(({ end }) => end)
      await route.fulfill({ response })
    })
    await provision('lena.example')
    const running = page.getByRole('dialog', { name: 'Certificate for lena.example' })
    await running.waitFor()
    await page.getByText('Certificate for lena.example is served').waitFor()
    await running.waitFor({ state: 'detached' })
    await page.unroute('**/api/ssl/provision')
    await page.unroute('**/api/jobs?*')
  })

  it('renews one, and all that are due', async () => {
    await page.goto('/ssl')
    await menu('lena.example', 'Renew')
    await page.getByText('Certificate for lena.example renewed').waitFor()
    await page.getByRole('button', { name: 'Renew all due' }).click()
    const dialog = page.getByRole('dialog', { name: 'Renewing what is due' })
    await dialog.getByText('No certificate is due.').waitFor()
    await dialog.getByText('2 certificates not due yet or uploaded').waitFor()
    await watched.screenshot('ssl-renew-all')
    // The toast of the renewal before must not lie over it.
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
    await dialog.waitFor({ state: 'hidden' })
  })

  it('keeps the reason of a failed renewal beside the certificate', async () => {
    await panel.breakHost('certificates.issue')
    await page.goto('/ssl')
    await menu('lena.example', 'Renew')
    const dialog = page.getByRole('dialog', { name: 'Renewing lena.example' })
    await dialog.getByText('The host agent is not reachable').waitFor()
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
    const reason = page.locator('tr[data-certificate-error="lena.example"]')
    await reason.getByText('Last attempt failed').waitFor()
    await reason.getByText('The host agent is not reachable').waitFor()
    await panel.mend()
  })

  it('takes a certificate of one’s own, from text or a file, and says which part is wrong', async () => {
    const made = makeCertificate({ names: ['otto.example', 'www.otto.example'], days: 20 })
    const other = makeCertificate({ names: ['otto.example'] })
    await page.goto('/ssl')
    await page.getByRole('button', { name: 'Upload', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Upload certificate' })
    await dialog.getByLabel('Domain').fill('otto.example')
    await dialog.getByLabel('Choose file: Certificate').setInputFiles({
      name: 'otto.pem',
      mimeType: 'application/x-pem-file',
      buffer: Buffer.from(made.certificate),
    })
    const key = dialog.getByLabel('Private key', { exact: true })
    await key.fill(other.key)
    await dialog.getByRole('button', { name: 'Upload certificate' }).click()
    await dialog.locator('#upload-key[aria-invalid="true"]').waitFor()
    await watched.screenshot('ssl-upload')
    await key.fill(made.key)
    await dialog.getByRole('button', { name: 'Upload certificate' }).click()
    await row('otto.example').getByText('Expiring soon').waitFor()
    await row('otto.example').getByText('Uploaded').waitFor()
    await page.getByRole('button', { name: 'Actions for otto.example' }).click()
    const renew = page.getByRole('menuitem', { name: 'Renew' })
    expect(await renew.getAttribute('aria-disabled')).toBe('true')
    await page.keyboard.press('Escape')
  })

  it('shows all that is known of one', async () => {
    await page.goto('/ssl')
    await row('otto.example').getByRole('button', { name: 'otto.example', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'otto.example' })
    for (const text of ['Serial', 'Subject', 'Never by itself', 'www.otto.example'])
      await dialog.getByText(text).first().waitFor()
    await watched.screenshot('ssl-details')
  })

  it('nothing sticks out at any width, light and dark', async () => {
    const sized = await openPage(browser, panel.origin)
    await logInByApi(sized.page)
    const ready = (of: Page) => of.getByText('Last attempt failed').waitFor()
    expect(await overhangsOf(sized, [{ name: 'ssl', path: '/ssl', ready }])).toEqual({})
    expect(sized.complaints).toEqual([])
    await sized.page.context().close()
  })

  it('removes one after its name was typed', async () => {
    await page.goto('/ssl')
    await menu('otto.example', 'Remove')
    const dialog = page.getByRole('dialog', { name: 'Remove the certificate of otto.example?' })
    await dialog.getByText('https stops at otto.example, www.otto.example').waitFor()
    await dialog.getByLabel('Type otto.example to confirm').fill('otto.example')
    await watched.screenshot('ssl-remove')
    await dialog.getByRole('button', { name: 'Remove certificate' }).click()
    await row('otto.example').waitFor({ state: 'detached' })
    await page.getByText('Certificate of otto.example removed').waitFor()
  })

  it('shows an account its own alone', async () => {
    const own = await openPage(browser, panel.origin)
    await logInByApi(own.page, { username: 'otto', password: 'correct horse 9' })
    await own.page.goto('/ssl')
    await own.page.getByText('No certificates yet.').waitFor()
    expect(await own.page.getByRole('button', { name: 'Renew all due' }).count()).toBe(0)
    await own.page.context().close()
  })

  it('has broken no rule of the content policy and asked no other host', () => {
    expect(watched.complaints).toEqual([])
  })
})
