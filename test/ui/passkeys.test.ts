import { Secret, TOTP } from 'otpauth'
import { expect, it } from 'vitest'
import { ADMIN, callApi, setUpByApi } from './support/log-in.ts'
import { openPage } from './support/open-browser.ts'
import { browser, page, panel, panelInBrowser, watched } from './support/panel-in-browser.ts'

/** The panel under a name: browsers bind a passkey to one, never to an address. */
const byName = (): string => panel.origin.replace('127.0.0.1', 'localhost')

panelInBrowser(() => setUpByApi(page))

it('at an address in place of a name it is said what it takes', async () => {
  await page.goto('/settings')
  await page.getByText('only where the panel is opened by its host name over HTTPS').waitFor()
  expect(await page.getByRole('button', { name: 'Add a passkey' }).count()).toBe(0)
  await watched.screenshot('settings-no-passkeys')
})

it('a passkey is added with password and code, logs in without either, and is removed', async () => {
  const own = await openPage(browser, byName())
  const { page: named } = own
  const devtools = await named.context().newCDPSession(named)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  await named.goto('/login')
  await named.getByLabel('Username').fill(ADMIN.username)
  await named.getByLabel('Password', { exact: true }).fill(ADMIN.password)
  await named.getByRole('button', { name: 'Log in', exact: true }).click()
  await named.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()

  const enrolled = await callApi(named, 'POST', '/api/auth/totp', { password: ADMIN.password })
  const { secret = '' } = (enrolled.body as { data?: { secret: string } }).data ?? {}
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
  const confirmed = await callApi(named, 'POST', '/api/auth/totp/confirm', { code })
  const { recovery_codes: codes = [] } =
    (confirmed.body as { data?: { recovery_codes: string[] } }).data ?? {}

  await named.goto('/settings')
  const add = async (name: string, recovery: string): Promise<void> => {
    await named.getByRole('button', { name: 'Add a passkey' }).click()
    const dialog = named.getByRole('dialog', { name: 'Add a passkey' })
    await dialog.getByLabel('Name').fill(name)
    await dialog.getByLabel('Password', { exact: true }).fill(ADMIN.password)
    await dialog.getByLabel('Code').fill(recovery)
    await own.screenshot('settings-passkey-add')
    await dialog.getByRole('button', { name: 'Continue' }).click()
  }
  await add('My <b>phone</b>', codes[0] ?? '')
  await named.getByText('Not used yet').waitFor()
  // The same device once more: the browser knows, and says so.
  await add('Again', codes[1] ?? '')
  await named.getByText('This device has a passkey for you here already.').waitFor()
  await named.getByRole('button', { name: 'Cancel' }).click()
  await own.screenshot('settings-passkeys')

  await named.context().clearCookies()
  await named.goto('/login?next=/accounts')
  await own.screenshot('login-passkey')
  await named.getByRole('button', { name: 'Log in with a passkey' }).click()
  await named.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor()

  await named.goto('/settings')
  await named.getByText('Last used').waitFor()
  await named.getByRole('button', { name: 'Remove My <b>phone</b>' }).click()
  await named.getByText('Passkey My <b>phone</b> removed').waitFor()
  await named.context().clearCookies()
  await named.goto('/login')
  await named.getByRole('button', { name: 'Log in with a passkey' }).click()
  await named.getByText('does not let anybody in here').waitFor()
  // Refusals are 401, of which the browser's console tells.
  expect(own.complaints.filter((one) => !one.includes('401'))).toEqual([])
  await named.context().close()
})
