import { describe, expect, it } from 'vitest'
import { violationsOf } from '../support/looks/axe-violations.ts'
import { overhangsOf } from '../support/looks/overhangs.ts'
import { callApi, createAccount, logInByApi, setUpByApi } from '../support/log-in.ts'
import { openPage } from '../support/open-browser.ts'
import { browser, page, panel, panelInBrowser, watched } from '../support/panel-in-browser.ts'

const LENA = { username: 'lena', password: 'correct horse 9' }
const keyOf = (byte: number): string =>
  `ssh-ed25519 ${Buffer.concat([
    Buffer.from([0, 0, 0, 11]),
    Buffer.from('ssh-ed25519'),
    Buffer.from([0, 0, 0, 32]),
    Buffer.alloc(32, byte),
  ]).toString('base64')}`
const KEY = keyOf(7)
const OTHER_KEY = keyOf(8)

describe('SFTP on the page of an account', () => {
  panelInBrowser(async () => {
    await setUpByApi(page)
    await createAccount(page, 'lena', { plan: 'pro' })
  })
  const card = (on = page) => on.getByRole('region', { name: 'SFTP', exact: true })
  const drawer = (name: string, on = page) => on.getByRole('dialog', { name, exact: true })
  const row = (name: string, on = page) => card(on).locator(`[data-ssh-key="${name}"]`)

  it('tells all that a program asks for, to be copied', async () => {
    await page.goto('/accounts/lena')
    const host = new URL(panel.origin).hostname
    for (const text of [
      host,
      `sftp lena@${host}`,
      `sftp://lena@${host}:22`,
      '/home/lena',
      `SHA256:${'a'.repeat(43)}`,
    ])
      await card().getByText(text, { exact: true }).first().waitFor()
    await card().getByText('"remotePath":"/home/lena/public_html"').waitFor()
    await card().getByText('No keys yet.').waitFor()
    expect(await card().getByRole('button', { name: 'Copy' }).count()).toBe(8)
  })

  it('takes a key, and says what is none before it asks', async () => {
    await card().getByRole('button', { name: 'Add key' }).click()
    const form = drawer('Add SSH key')
    await form.getByLabel('Name').fill('Laptop')
    await form.getByLabel('Public key', { exact: true }).fill('-----BEGIN OPENSSH PRIVATE KEY-----')
    await form.getByRole('button', { name: 'Add key' }).click()
    await form.getByText('This is a private key.').waitFor()
    await form.getByLabel('Public key', { exact: true }).fill(`${KEY} me@laptop`)
    await form.getByLabel('Expires on').fill('2040-01-31')
    await watched.screenshot('sftp-key-drawer')
    await form.getByRole('button', { name: 'Add key' }).click()
    await form.waitFor({ state: 'detached' })
    await row('Laptop').getByText('SHA256:').waitFor()
    await row('Laptop').getByText('Expires in').waitFor()
    const { body } = await callApi(page, 'GET', '/api/ssh-keys/1')
    expect(body).toMatchObject({
      data: [{ name: 'Laptop', public_key: KEY, expires_at: '2040-01-31 00:00:00' }],
    })
    // What the API alone knows is said at its field.
    await card().getByRole('button', { name: 'Add key' }).click()
    await form.getByLabel('Name').fill('Again')
    await form.getByLabel('Public key', { exact: true }).fill(KEY)
    await form.getByRole('button', { name: 'Add key' }).click()
    await form.getByText('The account has this key already.').waitFor()
    await form.getByRole('button', { name: 'Cancel' }).click()
  })

  it('lists who came in, here and for all accounts', async () => {
    const login = (version: number, keyId: number | null, endedAt: string | null) => ({
      ...{ id: crypto.randomUUID(), version, account: 'lena', username: 'lena', keyId, endedAt },
      ...{ beganAt: '2099-03-01 00:00:00', address: '192.0.2.7', changes: 2 },
      ...{ way: keyId === null ? ('password' as const) : ('key' as const) },
      ...{ receivedBytes: 4e6, sentBytes: 0, kind: 'sftp' as const, failures: 0 },
    })
    const wrong = { ...login(3, null, '2099-03-01 00:04:00'), kind: null, failures: 3 }
    await panel.setLogins([login(1, 1, '2099-03-01 00:02:00'), login(2, null, null), wrong])
    await page.goto('/accounts/lena')
    const logins = card().locator('[data-sftp-login="lena"]')
    await logins.getByText('Key Laptop · SFTP · 2 changes').waitFor()
    await logins.getByText('3 wrong passwords').waitFor()
    await logins.getByText('still in').first().waitFor()
    await card().getByRole('link', { name: 'All log-ins' }).click()
    await page.getByRole('heading', { name: 'SFTP log-ins' }).waitFor()
    await page.goto('/logs/sftp?way=key')
    await page.getByRole('cell', { name: '192.0.2.7' }).waitFor()
    expect(await page.locator('tbody tr').count()).toBe(1)
    await page.goto('/logs/sftp?outcome=failed')
    await page.getByRole('cell', { name: '3 wrong passwords' }).waitFor()
    await page.goto('/logs/sftp')
    await page.getByRole('cell', { name: 'Password' }).first().waitFor()
    await watched.screenshot('sftp-logins')
    expect(await violationsOf(page)).toEqual([])
    const ready = () => page.locator('[data-sftp-login]').first().waitFor()
    const screens = [{ name: 'sftp-logins', path: '/logs/sftp', ready }]
    expect(await overhangsOf(watched, screens)).toEqual({})
    await page.goto('/accounts/lena')
  })

  it('adds a user for one folder, and takes a key that opens it', async () => {
    await card().getByRole('button', { name: 'Add user' }).click()
    const form = drawer('Add a user for one folder')
    await form.getByLabel('Name').fill('Web!')
    await form.getByRole('button', { name: 'Add user' }).click()
    await form.getByText('Use 1 to 15 small letters and digits.').waitFor()
    await form.getByLabel('Name').fill('web')
    await form.getByText('Logs in as lena_web').waitFor()
    await form.getByLabel('Folder').fill('public_html/shop')
    await form.getByText('Log in with a password').click()
    await form.getByText('May only read').click()
    await watched.screenshot('sftp-user-drawer')
    await form.getByRole('button', { name: 'Add user' }).click()
    await form.waitFor({ state: 'detached' })
    const user = card().locator('[data-sftp-user="lena_web"]')
    await user.getByText('No password and no key: nobody gets in · Reads only').waitFor()
    await card().getByRole('button', { name: 'Add key' }).click()
    const keys = drawer('Add SSH key')
    await keys.getByLabel('Name').fill('Agency')
    await keys.getByLabel('Public key', { exact: true }).fill(KEY)
    await keys.getByLabel('Opens').selectOption({ label: 'lena_web (public_html/shop)' })
    await keys.getByRole('button', { name: 'Add key' }).click()
    await row('Agency').getByText('Opens lena_web').waitFor()
    await user.getByText('1 key · Reads only').waitFor()
    await card().evaluate((element) => element.scrollIntoView())
    await watched.screenshot('sftp-users')
    await user.getByRole('button', { name: 'Delete lena_web' }).click()
    const question = drawer('Delete the user lena_web?')
    await question.getByLabel('Type lena_web to confirm').fill('lena_web')
    await question.getByRole('button', { name: 'Delete user' }).click()
    await row('Agency').waitFor({ state: 'detached' })
  })

  it('takes a key for the repository of an application alone', async () => {
    const made = await callApi(page, 'POST', '/api/applications', {
      ...{ account_id: 1, name: 'shop', runtime_kind: 'none', start_command: 'exec sleep 9' },
      source_push: true,
    })
    expect(made.status).toBe(200)
    await card().getByRole('button', { name: 'Add key' }).click()
    const form = drawer('Add SSH key')
    await form.getByLabel('Name').fill('Pipeline')
    await form.getByLabel('Public key', { exact: true }).fill(OTHER_KEY)
    await form.getByLabel('Opens').selectOption({ label: 'The repository shop.git alone' })
    await form.getByLabel('May do there').selectOption({ label: 'Pull and push' })
    await watched.screenshot('sftp-repository-key-drawer')
    expect(await violationsOf(page)).toEqual([])
    await form.getByRole('button', { name: 'Add key' }).click()
    await form.waitFor({ state: 'detached' })
    await row('Pipeline').getByText('Opens the repository shop.git alone').waitFor()
    await row('Pipeline').getByText('may pull and push').waitFor()
    await row('Pipeline').getByRole('button', { name: 'Edit Pipeline' }).click()
    const edit = drawer('Edit Pipeline')
    await edit.getByLabel('May do there').selectOption('read')
    await edit.getByRole('button', { name: 'Save key' }).click()
    await row('Pipeline').getByText('may pull', { exact: false }).waitFor()
    const { body } = await callApi(page, 'GET', '/api/ssh-keys/1?q=Pipeline')
    expect(body).toMatchObject({ data: [{ application: 'shop', access: 'read' }] })
    await callApi(page, 'DELETE', '/api/applications/1/shop')
    await page.goto('/accounts/lena')
    await row('Laptop').waitFor()
    expect(await row('Pipeline').count()).toBe(0)
  })

  it('changes its name and end', async () => {
    await row('Laptop').getByRole('button', { name: 'Edit Laptop' }).click()
    const form = drawer('Edit Laptop')
    expect(await form.getByLabel('Expires on').inputValue()).toBe('2040-01-31')
    await form.getByLabel('Name').fill('Desk')
    await form.getByLabel('Expires on').fill('')
    await form.getByRole('button', { name: 'Save key' }).click()
    await row('Desk').getByText('Does not expire').waitFor()
  })

  it('switches the password off, in the hands of the owner too, and warns when nobody gets in', async () => {
    const { page: own, complaints, screenshot } = await openPage(browser, panel.origin)
    await logInByApi(own, LENA)
    await own.goto('/accounts/lena')
    const passwords = card(own).getByRole('switch', { name: 'Log in with the password, too' })
    await card(own).getByText('Log in with the password, too').click()
    await own.getByText('Only keys open SFTP').waitFor()
    expect(await passwords.isChecked()).toBe(false)
    await row('Desk', own).getByRole('button', { name: 'Delete Desk' }).click()
    const question = drawer('Delete the key Desk?', own)
    await question.getByLabel('Type Desk to confirm').fill('Desk')
    await screenshot('sftp-key-delete')
    await question.getByRole('button', { name: 'Delete key' }).click()
    await card(own).getByText('Nobody gets in now').waitFor()
    expect(complaints).toEqual([])
    await own.context().close()
  })

  it('gives a shell where the plan allows it, with the lines for it, and tells the owner', async () => {
    await page.goto('/accounts/lena')
    const shell = card().getByRole('switch', { name: 'Shell' })
    await card().getByText('The plan allows none.').waitFor()
    expect(await shell.isDisabled()).toBe(true)
    await callApi(page, 'PATCH', '/api/plans/pro', { shells_limit: 1 })
    await page.reload()
    await card().locator('label[for="sftp-shell"]').click()
    await page.getByText('The account has a shell').waitFor()
    const host = new URL(panel.origin).hostname
    for (const text of [`ssh lena@${host}`, `rsync -av ./ lena@${host}:/home/lena/public_html/`])
      await card().getByText(text, { exact: true }).waitFor()
    const { page: own, complaints } = await openPage(browser, panel.origin)
    await logInByApi(own, LENA)
    await own.goto('/accounts/lena')
    await card(own).getByText('On. Commands, rsync and scp work over SSH.').waitFor()
    expect(await card(own).getByRole('switch', { name: 'Shell' }).count()).toBe(0)
    expect(complaints).toEqual([])
    await own.context().close()
  })

  it('tells of each site how its files are reached', async () => {
    await page.goto('/domains')
    await page
      .getByRole('button', { name: /^Actions/ })
      .first()
      .click()
    await page.getByRole('menuitem', { name: 'Connect by SFTP' }).click()
    const facts = page.getByRole('dialog', { name: 'Connect to lena.example', exact: true })
    const host = new URL(panel.origin).hostname
    for (const text of [
      `sftp lena@${host}:/home/lena/public_html`,
      `sftp://lena@${host}:22/home/lena/public_html`,
      `rsync -av ./ lena@${host}:/home/lena/public_html/`,
    ])
      await facts.getByText(text, { exact: true }).waitFor()
    await watched.screenshot('domain-connect')
    expect(await violationsOf(page)).toEqual([])
    await facts.getByRole('button', { name: 'Keys and passwords' }).click()
    await card().getByText('Log in with the password, too').waitFor()
  })

  it('fits phones, in both schemes and languages, and keeps the rules of axe', async () => {
    await callApi(page, 'POST', '/api/ssh-keys', {
      ...{ account_id: 1, name: 'Laptop', public_key: KEY, expires_at: '2020-01-01' },
    })
    const made = await callApi(page, 'POST', '/api/applications', {
      ...{ account_id: 1, name: `shop-${'x'.repeat(27)}`, runtime_kind: 'none' },
      ...{ start_command: 'exec sleep 9', source_push: true },
    })
    const { data } = made.body as unknown as { data: { id: number } }
    await callApi(page, 'POST', '/api/ssh-keys', {
      ...{ account_id: 1, name: 'Pipeline', public_key: OTHER_KEY, application_id: data.id },
    })
    const ready = async () => {
      await row('Laptop').waitFor()
      await row('Pipeline').waitFor()
      await card().evaluate((element) => element.scrollIntoView())
    }
    const screens = [{ name: 'account-sftp', path: '/accounts/lena', ready }]
    expect(await overhangsOf(watched, screens)).toEqual({})
    await page.goto('/accounts/lena')
    await ready()
    await row('Laptop').getByText('Expired').waitFor()
    await card().scrollIntoViewIfNeeded()
    await watched.screenshot('sftp-card')
    expect(await violationsOf(page)).toEqual([])
  })

  it('has broken no rule of the content policy and asked no other host', () => {
    expect(watched.complaints).toEqual([])
  })
})
