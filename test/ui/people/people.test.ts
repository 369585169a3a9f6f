import { describe, expect, it } from 'vitest'
import { createAccount, setUpByApi } from '../support/log-in.ts'
import { page, panelInBrowser, watched } from '../support/panel-in-browser.ts'

describe('people', () => {
  let link = ''
  panelInBrowser(async () => {
    await setUpByApi(page)
    await createAccount(page, 'crew')
    await createAccount(page, 'band')
  })

  it('are invited from the page of the account, by a link that is shown once', async () => {
    await page.goto('/accounts/crew')
    await page.getByText('Nobody works here beside the login of the account.').waitFor()
    await page.getByRole('button', { name: 'Invite' }).first().click()
    const drawer = page.getByRole('dialog', { name: 'Invite a person' })
    await drawer.getByLabel('E-mail address').fill('anna@mail.example')
    await drawer.getByRole('button', { name: 'Make the link' }).click()
    const shown = page.getByRole('dialog', { name: 'Invitation of anna@mail.example' })
    link = await shown.getByRole('listitem').innerText()
    expect(link).toMatch(/\/invitation#[\w-]{43}$/)
    await watched.screenshot('people-link')
    await shown.getByRole('button', { name: 'I have handed it on' }).click()
    await page.getByText('Open invitations').waitFor()
    await watched.screenshot('people-invited')
  })

  it('answer it, work in the account, and are seen by its owner', async () => {
    await page.context().clearCookies()
    await page.goto(link)
    await page.getByText('You are invited to crew (crew.example).').waitFor()
    await watched.screenshot('people-invitation')
    await page.getByLabel('Your name').fill('Anna')
    await page.getByLabel('Password', { exact: true }).fill('a password of my own')
    await page.getByRole('button', { name: 'Accept the invitation' }).click()
    await page.getByTestId('user-name').getByText('anna@mail.example').waitFor()
    await page.goto('/accounts')
    await page.waitForURL('**/accounts/crew')
    expect(await page.getByText('Open invitations').count()).toBe(0)
    const asked = await page.request.get('/api/accounts/1/people')
    // A developer does not see who else is there.
    expect(asked.status()).toBe(403)
    await page.goto(link)
    await page.getByRole('alert').waitFor()
  })
})
