import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startInstance } from '#test/support/instance.ts'
import type { Instance } from '#test/support/instance-types.ts'
import { randomUsername } from '#test/support/panel-client.ts'
import { launchBrowser, openPage } from '../support/open-browser.ts'
import { ensureBuild } from '../support/ensure-build.ts'
import { setUp } from '../support/log-in.ts'

/** The whole product, with a real system user and a real website, by hand in a real browser. */
describe('a whole instance in the browser', () => {
  let instance: Instance
  let browser: Browser
  beforeAll(async () => {
    await ensureBuild()
    ;[instance, browser] = await Promise.all([startInstance(), launchBrowser()])
  })
  afterAll(async () => {
    await browser?.close()
    await instance?.stop()
  })

  it('setup, an account in the table, its website, suspension, deletion', async () => {
    const { page, complaints, screenshot } = await openPage(browser, instance.panelUrl)
    page.setDefaultTimeout(30_000)
    await setUp(page)
    await page.getByText('everything is running').waitFor()
    await screenshot('instance-dashboard')

    const username = randomUsername()
    const domain = `${username}.example.com`
    await page.goto('/accounts')
    await page.getByRole('button', { name: 'New account' }).first().click()
    const drawer = page.getByRole('dialog', { name: 'New account' })
    await drawer.getByLabel('Username').fill(username)
    await drawer.getByLabel('Primary domain').fill(domain)
    await drawer.getByLabel('Email').fill(`post@${domain}`)
    await drawer.getByRole('button', { name: 'Generate' }).click()
    await drawer.getByText('Standard').click()
    await drawer.getByRole('button', { name: 'Create account' }).click()
    const row = page.locator(`tr[data-account="${username}"]`)
    await row.getByText('Active').waitFor()
    await screenshot('instance-accounts')
    expect((await instance.site(domain, '/')).status).toBe(200)
    const home = join(instance.config.paths.home_base, username)
    expect(existsSync(join(home, 'public_html'))).toBe(true)

    const menu = async (action: string) => {
      await page.getByRole('button', { name: `Actions for ${username}` }).click()
      await page.getByRole('menuitem', { name: action, exact: true }).click()
    }
    await menu('Suspend')
    await page.getByRole('button', { name: 'Suspend account' }).click()
    await row.getByText('Suspended').waitFor()
    expect((await instance.site(domain, '/')).status).toBe(503)
    await menu('Unsuspend')
    await row.getByText('Active').waitFor()
    expect((await instance.site(domain, '/')).status).toBe(200)

    await menu('Delete')
    await page.getByLabel(`Type ${username} to confirm`).fill(username)
    await page.getByRole('button', { name: 'Delete account' }).click()
    await row.waitFor({ state: 'detached' })
    expect(existsSync(home)).toBe(false)
    expect(complaints).toEqual([])
  })
})
