import { describe, expect, it } from 'vitest'
import { createAccount, logInByApi, setUpByApi } from '../support/log-in.ts'
import { openPage } from '../support/open-browser.ts'
import { browser, page, panel, panelInBrowser, watched } from '../support/panel-in-browser.ts'

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

  it('are listed for administrators, with the accounts and roles of each', async () => {
    const { page: desk } = await openPage(browser, panel.origin)
    await logInByApi(desk)
    await desk.goto('/settings?tab=people')
    const row = desk.locator('tr[data-person="anna@mail.example"]')
    expect((await row.innerText()).replaceAll(/\s+/g, ' ')).toMatch(
      /Anna .*crew (Developer|Reader)/,
    )
    await desk.context().close()
  })

  it('leave an account by themselves, and with the last one are gone', async () => {
    await page.goto('/settings')
    await page.getByRole('button', { name: 'Leave crew', exact: true }).click()
    const question = page.getByRole('dialog', { name: 'Leave crew?' })
    await question.getByText('It is your only account').waitFor()
    await question.getByRole('textbox').fill('crew')
    await watched.screenshot('people-leave')
    await question.getByRole('button', { name: 'Leave account' }).click()
    await page.waitForURL('**/login')
    await logInByApi(page)
    const left = await page.request.get('/api/people')
    expect((await left.json()).data).toEqual([])
  })
})
