import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createCertificateFiles } from '#adapters/node/agent/certificates/certificate-files.ts'
import { HOST_METHODS } from '#adapters/shared/host-rpc/methods.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'berth-certificates-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const pair = { leaf: 'leaf', chain: 'chain', key: 'key' }

it.each(['..', '.', '', '../other.example', 'a/b', 'a\0', 'a\n'])(
  'a version called %j removes nothing of other sites',
  async (version) => {
    const files = createCertificateFiles(directory, null)
    await files.write('other.example', 'v1', pair)
    await expect(files.write('evil.example', version, pair)).rejects.toMatchObject({ status: 400 })
    await expect(files.remove('evil.example', version)).rejects.toMatchObject({ status: 400 })
    await expect(files.readKey('evil.example', version)).rejects.toMatchObject({ status: 400 })
    expect(await files.readKey('other.example', 'v1')).toBe('key')
    expect(readdirSync(directory)).toEqual(['other.example'])
  },
)

it.each(['..', '.'])('no method takes a version or operation called %j', (name) => {
  const domain = 'evil.example'
  const inputOf = (port: keyof typeof HOST_METHODS, method: string) =>
    HOST_METHODS[port][method]?.input
  const asked = [
    inputOf('frontSites', 'keepPairs')?.safeParse({
      pairs: [{ domain, version: name, certificate: 'x', key: 'x' }],
    }),
    inputOf('frontSites', 'lacking')?.safeParse({ pairs: [{ domain, version: name }] }),
    inputOf('certificates', 'install')?.safeParse({
      ...{ username: 'evil', domain, operationId: name, certificate: 'x', key: 'x' },
    }),
  ]
  expect(asked.map((one) => one?.success)).toEqual([false, false, false])
})
