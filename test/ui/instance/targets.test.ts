import type { Browser, Page } from 'playwright-core'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSftpServer } from '#test/node/backups/sftp-server.ts'
import { startInstance } from '#test/support/instance.ts'
import type { Instance } from '#test/support/instance-types.ts'
import { randomUsername } from '#test/support/panel-client.ts'
import { startS3Server } from '#test/support/recovery/s3-server.ts'
import { ensureBuild } from '../support/ensure-build.ts'
import { createAccount, setUp } from '../support/log-in.ts'
import { launchBrowser, openPage, type WatchedPage } from '../support/open-browser.ts'

/** Targets by hand, at a real S3 service and a real SFTP server. */
describe('targets of backups', () => {
  let instance: Instance
  let browser: Browser
  let watched: WatchedPage
  let page: Page
  let s3: Awaited<ReturnType<typeof startS3Server>>
  let sftp: Awaited<ReturnType<typeof startSftpServer>>
  const username = randomUsername()
  beforeAll(async () => {
    await ensureBuild()
    s3 = await startS3Server('backups', true)
    sftp = await startSftpServer()
    ;[instance, browser] = await Promise.all([
      startInstance({
        settings: { server: 'workers = 1', databases: 'mariadb = "off"' },
        append: '[backups]\nallow_local_targets = true\n',
      }),
      launchBrowser(),
    ])
    watched = await openPage(browser, instance.panelUrl)
    page = watched.page
    page.setDefaultTimeout(15_000)
    await setUp(page)
  })
  afterAll(async () => {
    await browser?.close()
    await instance?.stop()
    await sftp?.dispose()
    await s3?.dispose()
  })
  const dialog = () => page.getByRole('dialog')
  const row = (name: string) => page.locator(`tr[data-target="${name}"]`)
  const menu = async (name: string, action: string) => {
    await row(name)
      .getByRole('button', { name: `Actions for ${name}` })
      .click()
    await page.getByRole('menuitem', { name: action }).click()
  }
  const submit = (name: string) => dialog().getByRole('button', { name, exact: true }).click()
  const near = async () => {
    await dialog().locator('summary').click()
    await dialog().getByText('In a private network').click()
  }

  it('an S3 target is tried before it is kept, and says what is wrong', async () => {
    await page.goto('/backups/targets')
    await page.getByText('There are no targets.').waitFor()
    await page.getByRole('button', { name: 'Add target' }).first().click()
    const fill = async (label: string, text: string) =>
      dialog().getByLabel(label, { exact: true }).fill(text)
    await fill('Name', 'offsite')
    await fill('Address of the service', s3.endpoint)
    await fill('Bucket', s3.bucket)
    await fill('Path in the bucket', 'host-1')
    await fill('Access key id', s3.accessKeyId)
    await fill('Secret key', 'wrong')
    await near()
    await watched.screenshot('targets-s3')
    await submit('Test and save')
    await dialog().getByText('The secret key does not belong to the access key id').waitFor()
    await fill('Secret key', s3.secretKey)
    await submit('Test and save')
    await page.getByText('offsite was tried and set up').waitFor()
    await row('offsite').getByRole('button', { name: 'Test: offsite' }).click()
    await page.getByText('offsite works').waitFor()
  })

  it('the key of an SFTP server is shown, compared and then pinned', async () => {
    await page.getByRole('button', { name: 'Add target' }).first().click()
    await dialog().getByLabel('Kind').selectOption('sftp')
    await dialog().getByLabel('Name', { exact: true }).fill('box')
    await dialog().getByLabel('Server', { exact: true }).fill(`127.0.0.1:${sftp.port}`)
    await dialog().getByLabel('User', { exact: true }).fill('root')
    await dialog().getByLabel('Directory').fill(sftp.directory)
    await dialog().getByLabel('Opened by').selectOption('private_key')
    const key = readFileSync(sftp.privateKeyFile, 'utf8')
    await dialog().getByLabel('Private key', { exact: true }).fill(key)
    await near()
    await submit('Ask the server for its key')
    await dialog().getByTestId('host-key').getByText(sftp.fingerprint).waitFor()
    await watched.screenshot('targets-host-key')
    await submit('The key is right: test and save')
    await page.getByText('box was tried and set up').waitFor()
    await menu('box', 'Edit')
    expect(await dialog().getByLabel('Key of the server').inputValue()).toBe(sftp.fingerprint)
    expect(await dialog().getByLabel('Password', { exact: true }).inputValue()).toBe('')
    await dialog().getByText('Default target').click()
    await submit('Test and save')
    await page.getByText('box was tried and changed').waitFor()
    await row('box').getByText('Default').waitFor()
    expect(await page.content()).not.toContain(key.split('\n')[1])
  })

  it('archives there are found, and a target is removed after its name was typed', async () => {
    await createAccount(page, username)
    const made = await page.evaluate(async () => {
      const headers = { 'X-Requested-With': 'berth', 'Content-Type': 'application/json' }
      const body = JSON.stringify({ target: 'offsite' })
      return (await fetch('/api/backups/accounts/1', { method: 'POST', headers, body })).status
    })
    expect(made).toBe(200)
    await page.goto('/backups/targets')
    await menu('offsite', 'Find archives there')
    await page.locator('tr[data-archive]').first().waitFor()
    await page.locator('tr[data-archive]').getByRole('button').first().click()
    await page.getByText('Made by this server').first().waitFor()
    await page.goto('/backups/targets')
    await menu('offsite', 'Remove')
    await dialog().getByLabel('Type offsite to confirm').fill('offsite')
    await submit('Remove target')
    await page.getByText('offsite was removed').waitFor()
    expect(await row('offsite').count()).toBe(0)
  })

  it.each([
    ['en', 'light'],
    ['de', 'dark'],
  ] as const)('fits a small screen in %s and %s', async (language, colorScheme) => {
    const small = await openPage(browser, instance.panelUrl, {
      viewport: { width: 360, height: 780 },
      colorScheme,
      locale: language,
      storageState: await page.context().storageState(),
    })
    await small.page.goto('/backups/targets')
    await small.page.locator('tr[data-target="box"]').waitFor()
    const spare = () =>
      small.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(await spare()).toBeLessThanOrEqual(0)
    await small.screenshot(`targets-360-${language}-${colorScheme}`)
    expect(small.complaints).toEqual([])
  })

  it('has broken no rule of the content policy and asked no other host', () => {
    expect(watched.complaints).toEqual([])
  })
})
