import { describe, expect, it } from 'vitest'
import { archiveOf } from '#test/contract/backups/archive-of.ts'
import { foreignArchive } from '../support/foreign-archive.ts'
import { callApi, createAccount, logInByApi, setUpByApi } from '../support/log-in.ts'
import { openPage } from '../support/open-browser.ts'
import { browser, page, panel, panelInBrowser, watched } from '../support/panel-in-browser.ts'

describe('imports', () => {
  panelInBrowser(async () => {
    await setUpByApi(page)
    await createAccount(page, 'mira', { plan: 'business' })
    await panel.layArchives([
      ['/root/old/carol.tar.gz', archiveOf('carol')],
      ['/root/old/cpmove-fay.tar.gz', foreignArchive('fay')],
      ['/root/old/mira.tar.gz', archiveOf('mira', { proof: 'known' })],
    ])
  })

  const dialog = () => page.getByRole('dialog')
  const inspection = () => page.locator('[data-inspection]')
  const lookInside = async (name: string) => {
    await page.getByRole('button', { name: `Look inside: ${name}` }).click()
    await inspection().getByRole('button', { name: 'Import account' }).waitFor()
  }

  it('is a tab beside the archives, which keeps the account', async () => {
    await page.goto('/backups?account=1')
    const tabs = page.getByRole('navigation', { name: 'Parts of Backups' })
    expect(await tabs.getByRole('link', { name: 'Archives' }).getAttribute('aria-current')).toBe(
      'page',
    )
    await tabs.getByRole('link', { name: 'Import' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/backups/imports?account=1')
    await page.getByText('No deleted account has backups.').waitFor()
    await tabs.getByRole('link', { name: 'Archives' }).click()
    await page.waitForURL('**/backups?account=1')
  })

  it('says at the field what is wrong with a path', async () => {
    await page.goto('/backups/imports')
    const path = page.getByLabel('Directory or file on this server')
    await path.fill('archives')
    await page.getByRole('button', { name: 'Look', exact: true }).click()
    await page.getByText('Give the whole path').waitFor()
    expect(await path.getAttribute('aria-invalid')).toBe('true')
    await path.fill('/nowhere')
    await page.keyboard.press('Enter')
    await page.getByText('There is nothing at /nowhere.').waitFor()
  })

  it('lists what lies at a path, also after a reload', async () => {
    await page.getByLabel('Directory or file on this server').fill('/root/old')
    await page.keyboard.press('Enter')
    await page.locator('tr[data-archive]').first().waitFor()
    expect(await page.locator('tr[data-archive]').count()).toBe(3)
    await page.reload()
    expect(await page.locator('tr[data-archive]').count()).toBe(3)
    await watched.screenshot('imports-found')
  })

  it('tells what is in a proved archive and that nothing is in its way', async () => {
    await lookInside('carol.tar.gz')
    const text = await inspection().innerText()
    for (const part of [
      'Made by this server',
      'carol.example',
      'shop.carol.example',
      'With certificate',
      'carol_shop',
      'password comes along',
      'Nothing here stands in its way.',
      '23456, free here',
    ])
      expect(text).toContain(part)
    expect(text).not.toContain('What becomes of it')
    await watched.screenshot('imports-proved')
  })

  it('brings it in as it was, and leads to the account', async () => {
    await inspection().getByRole('button', { name: 'Import account' }).click()
    expect(await dialog().getByLabel('Username').inputValue()).toBe('carol')
    expect(await dialog().getByLabel('Primary domain').inputValue()).toBe('carol.example')
    await watched.screenshot('imports-drawer')
    const asked = page.waitForRequest(
      (request) => request.method() === 'POST' && request.url().endsWith('/api/backups/imports'),
    )
    await dialog().getByRole('button', { name: 'Import account' }).click()
    const body = (await asked).postDataJSON() as object
    expect(body).toEqual({
      path: '/root/old/carol.tar.gz',
      username: 'carol',
      domain: 'carol.example',
      email: 'carol@example.com',
      plan: 'pro',
      fix_configs: false,
      sha256: 'a'.repeat(64),
    })
    await page.locator('[data-imported="carol"]').waitFor()
    await watched.screenshot('imports-done')
    await page.getByRole('link', { name: 'To the account carol' }).click()
    await page.getByRole('heading', { name: 'carol', level: 1 }).waitFor()
  })

  it('names what collides, and takes other names for it', async () => {
    await page.goto('/backups/imports?path=/root/old')
    await lookInside('mira.tar.gz')
    await inspection().getByText('Made by a server you know').waitFor()
    await inspection().getByText('There is an account mira already.').waitFor()
    await watched.screenshot('imports-collision')
    await inspection().getByRole('button', { name: 'Import account' }).click()
    await dialog().getByRole('button', { name: 'Import account' }).click()
    await inspection().getByText('The import failed, and nothing of it stayed').waitFor()
    await inspection().getByRole('button', { name: 'Import account' }).click()
    await dialog().getByLabel('Username').fill('mira2')
    await dialog().getByLabel('Primary domain').fill('mira2.example')
    await dialog().getByText('Further domains').click()
    await dialog().getByLabel('alias-mira.example').fill('')
    await dialog().getByRole('button', { name: 'Import account' }).click()
    await page.locator('[data-imported="mira2"]').waitFor()
    const domains = await callApi(page, 'GET', '/api/domains?q=mira2')
    expect(JSON.stringify(domains.body)).toContain('shop.mira2.example')
    expect(JSON.stringify(domains.body)).not.toContain('alias-mira')
  })

  it('takes an unproved archive of another panel only with a plan, a password and a yes', async () => {
    await page.goto('/backups/imports?path=/root/old')
    await lookInside('cpmove-fay.tar.gz')
    const text = await inspection().innerText()
    for (const part of [
      'Unproved',
      'You choose: plan.',
      'Stays behind',
      'DNS zones',
      'cPanel',
      'wp-config.php',
    ])
      expect(text).toContain(part)
    await watched.screenshot('imports-foreign')
    await inspection().getByRole('button', { name: 'Import account' }).click()
    await dialog().getByRole('button', { name: 'Import account' }).click()
    await dialog().getByText('Choose a plan for the account.').waitFor()
    await dialog().getByText('Use at least 8 characters.').waitFor()
    await dialog().getByText('Confirm this, or do not import the archive.').waitFor()
    await dialog().getByLabel('Plan', { exact: true }).selectOption('Basic')
    await dialog().getByLabel('Password', { exact: true }).fill('correct horse 9')
    await dialog().getByLabel('I know where this archive comes from').check()
    await dialog().getByLabel('Point paths in configuration files at the new home').check()
    await watched.screenshot('imports-drawer-foreign')
    await dialog().getByRole('button', { name: 'Import account' }).click()
    await page.locator('[data-imported="fay"]').getByText('Stays behind').waitFor()
    await page.locator('[data-imported="fay"]').getByText('.before-import').waitFor()
    await watched.screenshot('imports-foreign-done')
  })

  it('says why an archive could not be read, and reads it again', async () => {
    await panel.breakHost('imports.open')
    await page.getByRole('button', { name: 'Look inside: carol.tar.gz' }).click()
    await inspection().getByText('The archive could not be read').waitFor()
    await panel.mend()
    await inspection().getByRole('button', { name: 'Read again' }).click()
    await inspection().getByText('Made by this server').waitFor()
    await inspection().getByRole('button', { name: 'Close' }).click()
    expect(await inspection().count()).toBe(0)
  })

  it('looks at a backup target too', async () => {
    const target = {
      name: 'bucket',
      type: 's3',
      endpoint: 'https://s3.example.com',
      bucket: 'backups',
      access_key_id: 'AKIA1',
      secret_key: 'a very secret key',
    }
    await callApi(page, 'POST', '/api/backups/remote-targets', target)
    await panel.layArchives([['bucket/gina-20260101-030000.tar.gz', archiveOf('gina')]])
    await page.goto('/backups/imports')
    await page.getByLabel('Where').selectOption('bucket')
    expect(await page.getByLabel('Directory or file on this server').count()).toBe(0)
    await page.getByRole('button', { name: 'Look', exact: true }).click()
    await page.getByRole('button', { name: 'Look inside: gina' }).waitFor()
    const asked = page.waitForRequest((request) => request.url().endsWith('/imports/inspect'))
    await lookInside('gina-20260101-030000.tar.gz')
    expect((await asked).postDataJSON()).toEqual({
      target: 'bucket',
      filename: 'gina-20260101-030000.tar.gz',
    })
    await inspection().getByText('gina_shop').waitFor()
    await watched.screenshot('imports-target')
    await panel.breakHost('imports.find', 'The target does not answer.')
    await page.reload()
    await page.getByText('The target does not answer.').waitFor()
    await panel.mend()
    await callApi(page, 'DELETE', '/api/backups/remote-targets/bucket')
  })

  it('lists deleted accounts and brings one back from its backup', async () => {
    await callApi(page, 'POST', '/api/backups/accounts/1')
    const { body } = await callApi(page, 'GET', '/api/backups/accounts/1')
    const [backup] = (body as unknown as { data: { filename: string }[] }).data
    const filename = backup?.filename ?? ''
    const last = archiveOf('mira')
    last.facts.record?.domains.splice(1)
    last.facts.record?.certificates.splice(0)
    await panel.layArchives([[`local/${filename}`, last]])
    expect((await callApi(page, 'DELETE', '/api/accounts/1')).status).toBe(200)
    await page.goto('/backups/imports')
    await page.getByRole('button', { name: 'Backups: mira' }).click()
    await dialog().getByText(filename).waitFor()
    await watched.screenshot('imports-deleted')
    const download = page.waitForEvent('download')
    await dialog().getByRole('button', { name: 'Actions for' }).click()
    await page.getByRole('menuitem', { name: 'Download' }).click()
    expect((await download).suggestedFilename()).toBe(filename)
    await dialog().getByRole('button', { name: 'Bring back' }).click()
    await inspection().getByRole('button', { name: 'Import account' }).click()
    await dialog().getByRole('button', { name: 'Import account' }).click()
    await page.locator('[data-imported="mira"]').waitFor()
  })

  it('deletes a backup of a deleted account after its name was typed', async () => {
    await page.getByRole('button', { name: 'Backups: mira' }).click()
    await dialog().getByRole('button', { name: 'Actions for' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await dialog().getByLabel('Type mira to confirm').fill('mira')
    await dialog().getByRole('button', { name: 'Delete backup' }).click()
    await page.getByText('No deleted account has backups.').waitFor()
  })

  it('shows what a hostile archive holds as text, in place', async () => {
    const evil = archiveOf('evil', { madeBy: '<img src=x onerror=alert(1)>', proof: 'unproved' })
    const [domain] = evil.facts.record?.domains ?? []
    if (!domain || !evil.facts.record) throw new Error('an archive without a record')
    // As long as a host reads it; longer ones it refuses.
    const bad = { ...domain, domain_name: `${'x'.repeat(244)}\u202e.example` }
    evil.facts.record.domains = [domain, bad, bad]
    evil.facts.report = [{ what: 'left', subject: '<b>x</b>', reason: 'y'.repeat(2000) }]
    await panel.layArchives([['/root/evil.tar.gz', evil]])
    const narrow = await openPage(browser, panel.origin, { viewport: { width: 360, height: 780 } })
    await logInByApi(narrow.page)
    await narrow.page.goto('/backups/imports?path=/root/evil.tar.gz')
    await narrow.page.getByRole('button', { name: 'Look inside: evil.tar.gz' }).click()
    await narrow.page.getByText('<b>x</b>').waitFor()
    const spare = await narrow.page.evaluate(
      () => document.documentElement.scrollWidth - window.innerWidth,
    )
    expect(spare).toBeLessThanOrEqual(0)
    await narrow.screenshot('imports-360')
    expect(narrow.complaints).toEqual([])
  })

  it('is for administrators alone', async () => {
    const own = await openPage(browser, panel.origin)
    await createAccount(page, 'otto')
    await logInByApi(own.page, { username: 'otto', password: 'correct horse 9' })
    await own.page.goto('/backups')
    expect(await own.page.getByRole('link', { name: 'Import' }).count()).toBe(0)
    await own.page.goto('/backups/imports')
    await own.page.getByText('This page is for administrators').waitFor()
  })

  it('has broken no rule of the content policy and asked no other host', () => {
    expect(watched.complaints).toEqual([])
  })
})
