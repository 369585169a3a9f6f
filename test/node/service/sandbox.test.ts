import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { findProcesses } from '#adapters/node/agent/host/process-facts.ts'
import { mustRun, runCommand } from '#adapters/node/process/run-command.ts'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel, shareInstance } from '#test/support/setups/shared-instance.ts'
import { sandboxOf } from './sandbox-of.ts'

let alice: Tenant
shareInstance({ under: (config) => sandboxOf(config) })
beforeAll(async () => {
  alice = await Tenant.create(panel)
})

test('the processes really have no more than the unit gives', async () => {
  const { supervisor, agent } = await instance.pids()
  for (const pid of [supervisor, agent]) {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m)
    expect(status).toMatch(/^Seccomp:\s+2$/m)
    // CAP_NET_ADMIN is 12, CAP_SYS_MODULE 16, CAP_MKNOD 27.
    const bounding = BigInt(`0x${/^CapBnd:\s+(\w+)$/m.exec(status)?.[1]}`)
    for (const one of [12n, 16n, 27n]) expect([one, bounding & (1n << one)]).toEqual([one, 0n])
    expect(bounding & 1n).toBe(1n)
    const mounts = readFileSync(`/proc/${pid}/mountinfo`, 'utf8')
    expect(mounts).toMatch(/ \/ \/ ro[, ]/)
  }
})

test('accounts, PHP, databases, backups and their end work in it', async () => {
  await panel.data('POST', '/api/files/write', {
    account_id: alice.id,
    path: 'public_html/index.php',
    content:
      '<?php $db = new mysqli("localhost", $_GET["u"], $_GET["p"], $_GET["u"]); echo posix_getuid(), " ", $db->query("SELECT 41 + 1 AS n")->fetch_assoc()["n"];',
  })
  const { database } = await panel.data<{ database: string }>('POST', '/api/databases', {
    account_id: alice.id,
    db_name: 'shop',
    db_password: 'long enough 1',
    engine: 'mariadb',
  })
  const path = `/index.php?u=${database}&p=long%20enough%201`
  const { text } = await instance.site(alice.domain, path)
  const { stdout } = await mustRun('/usr/bin/id', ['-u', '--', alice.username])
  expect(text).toBe(`${stdout.trim()} 42`)
  // In a room of its own, for which the agent needs CAP_SYS_ADMIN and the calls that mount.
  const programs = findProcesses(({ uid }) => uid === alice.uid)
  expect(programs.length).toBeGreaterThan(0)
  const said = readFileSync(`${instance.config.paths.log_dir}/agent.log`, 'utf8')
  expect(said).not.toContain('without rooms of their own')
  for (const { pid } of programs)
    expect(readFileSync(`/proc/${pid}/mountinfo`, 'utf8')).toMatch(/ \/proc .*hidepid=/)

  await panel.data('POST', `/api/accounts/${alice.id}/suspend`, {})
  expect((await instance.site(alice.domain, '/')).status).toBe(503)
  await panel.data('POST', `/api/accounts/${alice.id}/unsuspend`, {})
  const backup = await panel.data<{ verified: boolean }>(
    'POST',
    `/api/backups/accounts/${alice.id}`,
  )
  expect(backup.verified).toBe(true)
  await panel.data('DELETE', `/api/accounts/${alice.id}`)
  expect((await runCommand('/usr/bin/id', ['-u', '--', alice.username])).code).toBe(1)
})
