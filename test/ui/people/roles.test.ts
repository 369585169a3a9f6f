import { describe, expect, it } from 'vitest'
import { callApi, createAccount, setUpByApi } from '../support/log-in.ts'
import { openPage } from '../support/open-browser.ts'
import { browser, page, panel, panelInBrowser } from '../support/panel-in-browser.ts'

/** Pages of lists whose rows have something that owners alone may do. */
const LISTS = { '/domains': 'Delete', '/databases': 'Delete', '/backups': 'Download' }

describe('what each role is offered', () => {
  panelInBrowser(async () => {
    await setUpByApi(page)
    await createAccount(page, 'crew')
    const database = { account_id: 1, db_name: 'blog', db_password: 'long enough' }
    await callApi(page, 'POST', '/api/databases', database)
    await callApi(page, 'POST', '/api/backups/accounts/1')
    // The primary domain is deleted with its account alone.
    const domain = {
      account_id: 1,
      domain_name: 'a.example',
      domain_type: 'addon',
      document_root: '/home/crew/a.example',
    }
    const made = await callApi(page, 'POST', '/api/domains', domain)
    expect(made).toMatchObject({ status: 200 })
  })
  const joined = async (role: string) => {
    const email = `${role}@mail.example`
    const invited = await callApi(page, 'POST', '/api/accounts/1/invitations', { email, role })
    const { token } = (invited.body as unknown as { data: { token: string } }).data
    const own = await openPage(browser, panel.origin)
    const person = { token, name: role, password: 'a password of my own' }
    await callApi(own.page, 'POST', '/api/auth/invitation', person)
    return own.page
  }

  it.each(['owner', 'developer', 'reader'])('%s', async (role) => {
    const own = await joined(role)
    const offered: Record<string, boolean | null> = {}
    for (const [path, item] of Object.entries(LISTS)) {
      await own.goto(path)
      await own.locator('tbody tr').first().waitFor()
      const menu = own.getByRole('button', { name: /^Actions for/ }).first()
      if ((await menu.count()) === 0) {
        offered[path] = null
        continue
      }
      await menu.click()
      await own.getByRole('menuitem').first().waitFor()
      offered[path] = (await own.getByRole('menuitem', { name: item, exact: true }).count()) > 0
      await own.keyboard.press('Escape')
    }
    const expected = { owner: true, developer: false, reader: null }[role]
    expect(Object.values(offered)).toEqual([expected, expected, expected])
    await own.goto('/databases')
    await own.getByRole('heading', { level: 1, name: 'Databases' }).waitFor()
    const adding = own.getByRole('main').getByRole('button', { name: /^(New user|Allow address)$/ })
    expect(await adding.count()).toBe(role === 'reader' ? 0 : 2)
    await own.goto('/')
    await own.getByRole('heading', { level: 1 }).waitFor()
    const main = own.getByRole('main')
    expect((await main.locator('a[href*="new=1"]').count()) > 0).toBe(role !== 'reader')
    await own.goto('/accounts/crew')
    await own.getByRole('heading', { level: 1, name: 'crew' }).waitFor()
    const edit = main.getByRole('button', { name: 'Email and password', exact: true })
    expect(await edit.count()).toBe(role === 'owner' ? 1 : 0)
    await own.context().close()
  })
})
