import { chmod, chown, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'

/** Told every two seconds, and a busy machine needs longer. */
const SOON = { timeout: 60_000, interval: 300 }

interface Told {
  id: string
  event: string
  username: string | null
  data: Record<string, unknown>
}

describe('hooks of an installation with a tenant', () => {
  let mallory: Tenant
  let inbox = ''
  const hook = async (event: string, name: string, script: string): Promise<string> => {
    const directory = join(dirname(instance.config.file), 'hooks.d', event)
    await mkdir(directory, { recursive: true, mode: 0o755 })
    const file = join(directory, name)
    await writeFile(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    await chmod(file, 0o755)
    return file
  }
  const told = async (name: string): Promise<Told[]> => {
    const text = await readFile(join(inbox, name), 'utf8').catch(() => '')
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Told)
  }

  beforeAll(async () => {
    mallory = await Tenant.create(panel)
    inbox = join(dirname(instance.config.file), 'inbox')
    await mkdir(inbox)
    await chmod(inbox, 0o777)
  })
  // Others use the instance after these.
  afterAll(() => rm(join(dirname(instance.config.file), 'hooks.d'), { recursive: true }))

  test('are told as user berth; what a tenant owns or may write is not run', async () => {
    await hook(
      'domain.created',
      '10-good',
      `id -un >${inbox}/user; cat >>${inbox}/good; echo >>${inbox}/good`,
    )
    const foreign = await hook('domain.created', '20-foreign', `id -un >${inbox}/foreign`)
    await chown(foreign, mallory.uid, mallory.uid)
    const writable = await hook('domain.created', '30-writable', `id -un >${inbox}/writable`)
    await chmod(writable, 0o777)
    const name = `more.${mallory.domain}`
    await panel.data('POST', '/api/domains', {
      account_id: mallory.id,
      domain_name: name,
      domain_type: 'subdomain',
      document_root: `${mallory.home}/more`,
    })
    await waitFor(async () => {
      expect(await told('good')).toMatchObject([
        { event: 'domain.created', username: mallory.username, data: { domain: name } },
      ])
    }, SOON)
    expect(await readFile(join(inbox, 'user'), 'utf8')).toBe('berth\n')
    await waitFor(async () => {
      const log = await readFile(join(instance.config.paths.log_dir, 'hooks.log'), 'utf8')
      expect(log.match(/hook refused/g)).toHaveLength(2)
    }, SOON)
    expect(await told('foreign')).toEqual([])
    expect(await told('writable')).toEqual([])
    const { body } = await panel.call('GET', '/api/logs/hooks')
    expect(JSON.stringify(body.data)).toContain('20-foreign')
  })

  test('are told after the panel was killed right behind the change', async () => {
    await hook('account.suspended', 'tell', `cat >>${inbox}/suspended; echo >>${inbox}/suspended`)
    await panel.data('POST', `/api/accounts/${mallory.id}/suspend`, { reason: 'x' })
    process.kill((await instance.pids()).panel, 'SIGKILL')
    await waitFor(async () => {
      const [first] = await told('suspended')
      expect(first).toMatchObject({ event: 'account.suspended', username: mallory.username })
    }, SOON)
    // At least once: what comes again has the same id.
    expect(new Set((await told('suspended')).map(({ id }) => id)).size).toBe(1)
  })
})
