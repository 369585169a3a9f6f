import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ensureBuild } from '#test/ui/support/ensure-build.ts'
import { createAccount, logIn, setUp } from '#test/ui/support/log-in.ts'
import { launchBrowser, openPage } from '#test/ui/support/open-browser.ts'
import { makeDeployedApi } from './api-workerd.ts'

let worker: Awaited<ReturnType<typeof makeDeployedApi>>
let browser: Browser
beforeAll(async () => {
  await ensureBuild(true)
  worker = await makeDeployedApi({ withUi: true })
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await worker?.close()
})

test('the panel is set up, shows its pages and acts, all of it in a Worker', async () => {
  const { page, complaints, screenshot } = await openPage(browser, worker.origin)
  await setUp(page)
  await createAccount(page, 'alice')
  const paths = ['/accounts', '/domains', '/ssl', '/databases', '/files', '/php', '/backups']
  for (const path of [...paths, '/system', '/logs', '/settings', '/cache']) {
    const answer = await page.goto(path)
    expect([path, answer?.status()]).toEqual([path, 200])
    await page.getByRole('heading', { level: 1 }).first().waitFor()
  }
  await page.goto('/accounts')
  await page.getByRole('link', { name: 'alice', exact: true }).first().waitFor()
  await screenshot('worker-accounts')
  await page.getByRole('button', { name: 'Log out' }).first().click()
  await page.getByRole('heading', { name: 'Log in to Berth' }).waitFor()
  await logIn(page)
  expect(complaints).toEqual([])
})

test('what is sent keeps other sites out, and files are kept for as long as they may be', async () => {
  const page = await fetch(`${worker.origin}/login`)
  expect(page.status).toBe(200)
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'.*'nonce-/)
  expect([page.headers.get('x-frame-options'), page.headers.get('cache-control')]).toEqual([
    'DENY',
    'no-store',
  ])
  const script = /_app\/immutable\/[^"]+\.js/.exec(await page.text())?.[0] ?? ''
  const file = await fetch(`${worker.origin}/${script}`)
  expect([file.status, file.headers.get('cache-control')]).toEqual([
    200,
    'public, max-age=31536000, immutable',
  ])
  expect(file.headers.get('x-content-type-options')).toBe('nosniff')
  for (const path of ['/_app/immutable/none.js', '/no-such-page', '/.assetsignore'])
    expect([path, (await fetch(`${worker.origin}${path}`)).status]).toEqual([path, 404])
  for (const path of ['/api/accounts', '/API/accounts', '/%61pi/accounts', '//api/accounts']) {
    const refused = await fetch(`${worker.origin}${path}`)
    expect(refused.headers.get('content-type')).toMatch(/^application\/json/)
    expect(refused.headers.get('content-security-policy')).toContain("default-src 'none'")
  }
})
