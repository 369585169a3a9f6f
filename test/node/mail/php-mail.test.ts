import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAgentMail, type AgentMail } from '#adapters/node/agent/mail/mail-port.ts'
import type { RegisteredAccount } from '#adapters/node/agent/registry/types.ts'
import { ensureIdentities } from '#adapters/node/process/ensure-identities.ts'
import { completeMail } from '#handlers/domain/config/mail/mail-section.ts'
import { putFile } from '#test/node/agent-php/host-fixture.ts'
import { createModeFixture, type ModeFixture } from '#test/node/agent-php/mode-fixture.ts'
import { scriptBody } from '#test/node/agent-php/run-script.ts'

let fixture: ModeFixture
let mail: AgentMail
let account: RegisteredAccount

beforeAll(async () => {
  await ensureIdentities()
  fixture = await createModeFixture()
  const { host } = fixture
  account = await host.createAccount()
  mail = createAgentMail({
    registry: host.registry,
    asRoot: true,
    stateDir: join(host.directory, 'state'),
    runDir: host.runDir,
    config: () => completeMail({}, () => null),
    log: host.log,
  })
  fixture.addHost(account, 'fpm.example.com', 'fpm')
  fixture.addHost(account, 'cgi.example.com', 'cgi')
}, 60_000)
afterAll(async () => {
  await mail?.stop()
  await fixture?.dispose()
})

it('mail() goes into the queue in the modes fpm and cgi, as the account', async () => {
  await mail.start()
  const service = await fixture.service({
    sendmailCommand: (username) => mail.sendmailCommand(username),
  })
  const file = await putFile(
    account,
    'mail.php',
    '<?php var_dump(mail("r@elsewhere.example", "From " . PHP_SAPI, "hello"));',
  )
  for (const domain of ['fpm.example.com', 'cgi.example.com']) {
    const { socket } = await service.ensure(domain)
    expect(await scriptBody(socket, file)).toContain('bool(true)')
  }
  const { username } = account
  const { rows } = await mail.mailQueue.list({
    ...{ username, sort: 'subject', order: 'asc', offset: 0, limit: 10 },
  })
  expect(rows.map(({ subject, state }) => [subject, state])).toEqual([
    ['From cgi-fcgi', 'kept'],
    ['From fpm-fcgi', 'kept'],
  ])
  for (const { from } of rows)
    expect([`${username}@cgi.example.com`, `${username}@fpm.example.com`]).toContain(from)
})
