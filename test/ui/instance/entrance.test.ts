import { describe, expect, it } from 'vitest'
import { launchBrowser, openPage } from '../support/open-browser.ts'
import { ADMIN, createAccount, logIn, logInByApi, setUp } from '../support/log-in.ts'
import { startPanel } from '../support/start-panel.ts'
import { browser, panel, panelAndBrowser } from '../support/panel-in-browser.ts'

describe('setup, login, logout', () => {
  panelAndBrowser()

  it('leads every page to setup while there is no administrator', async () => {
    const { page } = await openPage(browser, panel.origin)
    for (const path of ['/', '/accounts', '/login', '/system']) {
      await page.goto(path)
      expect(new URL(page.url()).pathname).toBe('/setup')
    }
  })

  it('says at the field what setup does not accept', async () => {
    const { page, complaints, screenshot } = await openPage(browser, panel.origin)
    await page.goto('/setup')
    await screenshot('setup')
    await page.getByLabel('Username').fill('ad')
    await page.getByLabel('Password', { exact: true }).fill('short')
    await page.getByRole('button', { name: 'Create Admin Account' }).click()
    await page.getByText('Use at least 3 characters.').waitFor()
    await page.getByText('Use at least 8 characters.').waitFor()
    expect(await page.getByLabel('Username').getAttribute('aria-invalid')).toBe('true')
    expect(await page.getByLabel('Username').evaluate((it) => it === document.activeElement)).toBe(
      true,
    )
    await page.getByLabel('Username').fill(ADMIN.username)
    await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
    await page.getByLabel('Password confirmation').fill('something else')
    await page.getByRole('button', { name: 'Create Admin Account' }).click()
    await page.getByText('The two passwords differ').waitFor()
    expect(complaints).toEqual([])
  })

  it('creates the administrator, logs in, and shows setup never again', async () => {
    const { page, complaints } = await openPage(browser, panel.origin)
    await setUp(page)
    expect(new URL(page.url()).pathname).toBe('/')
    expect(await page.getByTestId('user-name').first().textContent()).toBe(ADMIN.username)
    const cookie = (await page.context().cookies()).find(({ name }) => name === 'panel_token')
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', secure: false, path: '/' })
    await page.goto('/setup')
    expect(new URL(page.url()).pathname).toBe('/')
    expect(complaints).toEqual([])
  })

  it('logs out for good and comes back to the page that was asked for', async () => {
    const { page, complaints, screenshot } = await openPage(browser, panel.origin)
    await logIn(page)
    const before = (await page.context().cookies()).find(({ name }) => name === 'panel_token')
    await page.getByRole('button', { name: 'Log out' }).first().click()
    await page.getByRole('heading', { name: 'Log in to Berth' }).waitFor()
    await screenshot('login')
    const revoked = await fetch(`${panel.origin}/api/auth/me`, {
      headers: { authorization: `Bearer ${before?.value}` },
    })
    expect(revoked.status).toBe(401)
    await page.goto('/accounts?q=nobody')
    expect(new URL(page.url()).pathname).toBe('/login')
    await page.getByLabel('Username').fill(ADMIN.username)
    await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor()
    expect(new URL(page.url()).search).toBe('?q=nobody')
    expect(complaints).toEqual([])
  })

  it('never leads to another host after login', async () => {
    for (const next of ['//evil.example', 'https://evil.example', '/\\evil.example']) {
      const { page, complaints } = await openPage(browser, panel.origin)
      await page.goto(`/login?next=${encodeURIComponent(next)}`)
      await page.getByLabel('Username').fill(ADMIN.username)
      await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
      await page.getByRole('button', { name: 'Log in' }).click()
      await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
      expect(page.url()).toBe(`${panel.origin}/`)
      expect(complaints).toEqual([])
      await page.context().close()
    }
  })

  it('refuses a wrong password without telling which part was wrong', async () => {
    const { page } = await openPage(browser, panel.origin)
    await page.goto('/login')
    await page.getByLabel('Username').fill('nobody')
    await page.getByLabel('Password', { exact: true }).fill('wrong password')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('alert').getByText('Wrong username or password.').waitFor()
    expect(await page.getByLabel('Username').inputValue()).toBe('nobody')
  })

  it('works without JavaScript', async () => {
    const { page } = await openPage(browser, panel.origin, { javaScriptEnabled: false })
    await logIn(page)
    expect(await page.getByRole('link', { name: 'Accounts' }).count()).toBeGreaterThan(0)
    await page.getByRole('button', { name: 'Log out' }).first().click()
    await page.getByRole('heading', { name: 'Log in to Berth' }).waitFor()
  })

  it('lets a hosting account in and shows only what is its own', async () => {
    const { page } = await openPage(browser, panel.origin)
    await logInByApi(page)
    await createAccount(page, 'lena')
    await createAccount(page, 'otto')
    const own = await openPage(browser, panel.origin)
    await logIn(own.page, { username: 'lena', password: 'correct horse 9' })
    await own.page.getByText('Hosting account lena').waitFor()
    const sections = own.page.getByRole('navigation', { name: 'Sections' }).getByRole('link')
    const names = (await sections.allInnerTexts()).map((name) => name.trim())
    expect(names).toEqual([
      'Dashboard',
      'My account',
      'Domains',
      'SSL',
      'PHP',
      'Files',
      'Databases',
      'Backups',
      'Applications',
      'WordPress',
      'Cron jobs',
      'Mail',
      'Cache',
      'Logs',
      'Settings',
    ])
    await own.page.goto('/domains')
    await own.page.getByRole('link', { name: 'lena.example' }).waitFor()
    expect(await own.page.getByText('otto.example').count()).toBe(0)
    await own.page.goto('/accounts')
    expect(await own.page.getByText('otto').count()).toBe(0)
    await own.page.goto('/system')
    await own.page.getByRole('heading', { name: 'This page is for administrators' }).waitFor()
    expect(own.complaints).toEqual([])
  })
})

describe('setup with a token', () => {
  it('asks for the token and refuses a wrong one', async () => {
    const panel = await startPanel({ setupToken: 'the token of the file' })
    const browser = await launchBrowser()
    try {
      const { page } = await openPage(browser, panel.origin)
      await page.goto('/setup')
      const submit = async (token: string) => {
        await page.getByLabel('Username').fill(ADMIN.username)
        await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
        await page.getByLabel('Password confirmation').fill(ADMIN.password)
        await page.getByLabel('Setup token').fill(token)
        await page.getByRole('button', { name: 'Create Admin Account' }).click()
      }
      await submit('wrong')
      await page.getByRole('alert').getByText('setup_token').waitFor()
      await submit('the token of the file')
      await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
    } finally {
      await browser.close()
      await panel.stop()
    }
  })
})
