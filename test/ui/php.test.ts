import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { callApi, createAccount, logInByApi, setUpByApi } from './support/log-in.ts'
import { openPage } from './support/open-browser.ts'
import { overhangsOf } from './support/looks/overhangs.ts'
import { browser, page, panel, panelInBrowser, watched } from './support/panel-in-browser.ts'

describe('PHP', () => {
  panelInBrowser(async () => {
    await setUpByApi(page)
    await createAccount(page, 'lena', { plan: 'pro' })
    await createAccount(page, 'otto')
    await createAccount(page, 'demo01')
    await callApi(page, 'POST', '/api/accounts/3/suspend')
  })

  const account = (name: string) => page.locator(`tr[data-account="${name}"]`)
  const version = (name: string) => page.getByLabel(`PHP version of ${name}`).last()
  const mode = (name: string) => page.getByLabel(`PHP mode of ${name}`).last()
  const apply = (name: string) => page.getByRole('button', { name: `Apply to ${name}` })

  it('lists what is installed, with its binary and the default', async () => {
    await page.goto('/php')
    const first = page.locator('tr[data-php="8.2"]')
    for (const text of ['PHP 8.2', '/usr/bin/php8.2', 'Default', 'FPM', 'CGI'])
      await first.getByText(text, { exact: true }).waitFor()
    const second = page.locator('tr[data-php="8.1"]')
    await second.getByText('/usr/bin/php8.1').waitFor()
    expect(await second.getByText('Default').count()).toBe(0)
  })

  it('applies version and mode to an account, and only what differs can be applied', async () => {
    await page.goto('/php')
    expect(await apply('lena').isDisabled()).toBe(true)
    await version('lena').selectOption('8.1')
    await mode('lena').selectOption('cgi')
    await watched.screenshot('php')
    await apply('lena').click()
    await page.getByText('lena runs PHP 8.1 as CGI').waitFor()
    expect(await apply('lena').isDisabled()).toBe(true)
    expect(await account('otto').innerText()).toContain('PHP 8.2')
    await page.reload()
    expect(await version('lena').inputValue()).toBe('8.1')
    expect(await callApi(page, 'GET', '/api/php/config/1')).toMatchObject({
      body: { data: { version: '8.1', mode: 'cgi' } },
    })
  })

  it('says why LSAPI cannot be chosen', async () => {
    await page.goto('/php')
    const lsapi = mode('lena').locator('option[value="lsapi"]')
    expect(await lsapi.isDisabled()).toBe(true)
    expect(await lsapi.textContent()).toBe('LSAPI (Pro or Business)')
    await page.getByText('LSAPI needs a Pro or Business licence.').waitFor()
  })

  it('shows the reason of the host and keeps the choice', async () => {
    await page.goto('/php')
    await panel.breakHost('php.configure')
    await version('otto').selectOption('8.1')
    await apply('otto').click()
    await page.getByText('The host agent is not reachable').waitFor()
    expect(await version('otto').inputValue()).toBe('8.1')
    expect(await account('otto').innerText()).toContain('PHP 8.2')
    await panel.mend()
  })

  it('asks before a choice that was not applied is lost, and keeps it when another is applied', async () => {
    await page.goto('/php')
    await version('lena').selectOption('8.2')
    await version('otto').selectOption('8.1')
    await apply('otto').click()
    await page.getByText('otto runs PHP 8.1 as FPM').waitFor()
    expect(await version('lena').inputValue()).toBe('8.2')
    const question = page.getByRole('alertdialog', { name: 'Discard your changes?' })
    await page.locator('aside').getByRole('link', { name: 'Files' }).click()
    await question.getByRole('button', { name: 'Keep editing' }).click()
    await question.waitFor({ state: 'detached' })
    expect(await version('lena').inputValue()).toBe('8.2')
    await page.locator('aside').getByRole('link', { name: 'Files' }).click()
    await question.getByRole('button', { name: 'Discard changes' }).click()
    await page.getByRole('heading', { name: 'Files', level: 1 }).waitFor()
    await page.goto('/php')
    await version('otto').selectOption('8.2')
    await apply('otto').click()
    await page.getByText('otto runs PHP 8.2 as FPM').waitFor()
    await page.locator('aside').getByRole('link', { name: 'Files' }).click()
    await page.getByRole('heading', { name: 'Files', level: 1 }).waitFor()
  })

  it('leaves a suspended account alone', async () => {
    await page.goto('/php')
    expect(await version('demo01').isDisabled()).toBe(true)
    await account('demo01').getByText('Not while it is suspended').waitFor()
  })

  it('nothing sticks out at any width, light and dark', async () => {
    const sized = await openPage(browser, panel.origin)
    await logInByApi(sized.page)
    const ready = (of: Page) => of.getByText('Installed versions').first().waitFor()
    expect(await overhangsOf(sized, [{ name: 'php', path: '/php', ready }])).toEqual({})
    expect(sized.complaints).toEqual([])
    await sized.page.context().close()
  })

  it('can be used on a phone', async () => {
    const viewport = { width: 360, height: 740 }
    const phone = await openPage(browser, panel.origin, { viewport })
    await logInByApi(phone.page, { username: 'otto', password: 'correct horse 9' })
    await phone.page.goto('/php')
    await phone.page.getByLabel('PHP mode of otto').first().selectOption('cgi')
    await phone.page.getByRole('button', { name: 'Apply to otto' }).click()
    await phone.page.getByText('otto runs PHP 8.2 as CGI').waitFor()
    expect(await phone.page.locator('tr[data-account]').count()).toBe(1)
    await phone.page.context().close()
  })

  it('has broken no rule of the content policy and asked no other host', () => {
    expect(watched.complaints).toEqual([])
  })
})
