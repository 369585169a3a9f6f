import { connect } from 'node:tls'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePorts } from '#test/support/free-ports.ts'
import { startInstance } from '#test/support/instance.ts'
import type { Instance } from '#test/support/instance-types.ts'
import { randomUsername } from '#test/support/panel-client.ts'
import { acmeSettings, startPebble, type Pebble } from '#test/support/authority/pebble.ts'
import { ensureBuild } from '../support/ensure-build.ts'
import { createAccount, setUp } from '../support/log-in.ts'
import { launchBrowser, openPage } from '../support/open-browser.ts'
import { openGate, type Gate } from '../support/open-gate.ts'

let pebble: Pebble
let gate: Gate
let instance: Instance
let browser: Browser
beforeAll(async () => {
  await ensureBuild()
  // Each must know the other's port before it starts.
  const [httpPort = 0] = await freePorts(1)
  pebble = await startPebble({ httpPort })
  gate = await openGate(Number(new URL(pebble.directory).port))
  const directory = `https://localhost:${gate.port}/dir`
  const panel = acmeSettings({ directory, caFile: pebble.caFile })
  ;[instance, browser] = await Promise.all([
    startInstance({ settings: { panel }, httpPort }),
    launchBrowser(),
  ])
})
afterAll(async () => {
  await browser?.close()
  await instance?.stop()
  await gate?.close()
  await pebble?.stop()
})

/** Whether the site is served with a certificate of the authority, and who issued it. */
const servedIssuer = async (host: string): Promise<string | undefined> => {
  const ca = await pebble.issuedRoot()
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: instance.webSslPort, servername: host, ca }
    const socket = connect(options, () => {
      const issuer: unknown = socket.getPeerCertificate().issuer.CN
      socket.destroy()
      resolve(String(issuer))
    })
    socket.on('error', reject)
  })
}

it('a site gets a certificate by hand, from a real authority, and loses it again', async () => {
  const { page, complaints, screenshot } = await openPage(browser, instance.panelUrl)
  page.setDefaultTimeout(60_000)
  await setUp(page)
  const username = randomUsername()
  const domain = `${username}.example`
  await createAccount(page, username)

  await page.goto('/ssl')
  await page.getByRole('button', { name: 'Provision certificate' }).first().click()
  const form = page.getByRole('dialog', { name: 'Provision certificate' })
  await form.getByLabel('Domain').fill(domain)
  await form.getByRole('button', { name: 'Provision' }).click()
  // Its name is in no DNS, and the panel says so.
  const running = page.getByRole('dialog', { name: `Certificate for ${domain}` })
  await running
    .getByRole('alert')
    .getByText(/no address in the DNS|Nothing answers/)
    .waitFor()
  await running.locator('[data-step="check"][data-state="failed"]').waitFor()
  await screenshot('ssl-instance-refused')

  await running.getByRole('button', { name: 'Change and try again' }).click()
  await form.getByText('More', { exact: true }).click()
  await form.getByText('Order without checking first').click()
  await form.getByRole('button', { name: 'Provision' }).click()
  await running.locator('[data-step="order"][data-state="running"]').waitFor()
  await screenshot('ssl-instance-running')
  // The authority answers in a moment: what is under way would be over before anybody looked.
  gate.open()
  const row = page.locator(`tr[data-certificate="${domain}"]`)
  await row.getByText('Valid').waitFor()
  await row.getByText('Pebble').last().waitFor()
  await screenshot('ssl-instance')
  expect(await servedIssuer(domain)).toContain('Pebble')

  await page.getByRole('button', { name: `Actions for ${domain}` }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await page.getByLabel(`Type ${domain} to confirm`).fill(domain)
  await page.getByRole('button', { name: 'Remove certificate' }).click()
  await row.waitFor({ state: 'detached' })
  await expect(servedIssuer(domain)).rejects.toThrow()
  expect(complaints).toEqual([])
})
