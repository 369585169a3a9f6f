import { createHash } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fetchNode } from '#adapters/node/runtimes/fetch-node.ts'
import { addedNodes, addNode, removeNode } from '#adapters/node/runtimes/node-versions.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'

const PACKAGE = `node-linux-${process.arch}`

let directory: string
let server: Server
let origin: string
/** What the registry answers, by path; text is a list, bytes are an archive. */
const answers = new Map<string, string | Buffer | { to: string }>()

beforeAll(async () => {
  server = createServer((request, response) => {
    const answer = answers.get(request.url ?? '')
    if (answer === undefined) response.writeHead(404).end()
    else if (typeof answer === 'object' && 'to' in answer)
      response.writeHead(302, { location: answer.to }).end()
    else response.end(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())
beforeEach(() => {
  directory = temporaryDirectory()
  // Nobody runs what is added, as accounts will.
  chmodSync(directory, 0o755)
  answers.clear()
})

const runtimes = (): string => join(directory, 'runtimes')

/** An archive as npm has it, whose Node is a script that says its version. */
const archiveOf = (version: string, make?: (binary: string) => void): string => {
  const root = join(directory, `of-${version}`)
  mkdirSync(join(root, 'package/bin'), { recursive: true })
  const binary = join(root, 'package/bin/node')
  if (make === undefined) writeFileSync(binary, `#!/bin/sh\necho v${version}\n`)
  else make(binary)
  if (make === undefined) chmodSync(binary, 0o700)
  const file = join(directory, `${version}.tgz`)
  execFileSync('tar', ['-czf', file, '-C', root, 'package'])
  return file
}
const sha512 = (bytes: Buffer): string =>
  `sha512-${createHash('sha512').update(bytes).digest('base64')}`

/** Versions that the registry has, each with what it tells of it. */
const serve = (versions: Record<string, { integrity?: string; tarball?: string }>): void => {
  const told = Object.entries(versions).map(([version, { integrity, tarball }]) => {
    const bytes = readFileSync(archiveOf(version))
    answers.set(`/${version}.tgz`, bytes)
    const dist = {
      integrity: integrity ?? sha512(bytes),
      tarball: tarball ?? `${origin}/${version}.tgz`,
    }
    return [version, { version, dist }]
  })
  answers.set(`/${PACKAGE}`, JSON.stringify({ versions: Object.fromEntries(told) }))
}
const fetched = (wanted: string) => fetchNode(wanted, join(directory, 'fetched.tgz'), origin)

describe('a version of Node that is fetched', () => {
  it('is the newest of those that are meant, and what the registry tells', async () => {
    serve({ '22.9.1': {}, '22.10.0': {}, '23.1.0': {}, '22.11.0-rc.1': {} })
    for (const [wanted, version] of [
      ['22', '22.10.0'],
      ['22.9', '22.9.1'],
      ['23.1.0', '23.1.0'],
    ] as const) {
      expect(await fetched(wanted)).toBe(version)
      expect(await addNode(join(directory, 'fetched.tgz'), runtimes())).toBe(version)
    }
    expect((await addedNodes(runtimes())).toSorted()).toEqual(['22.10.0', '22.9.1', '23.1.0'])
    await expect(fetched('2')).rejects.toThrow(/has no version 2\./)
    await expect(addNode(archiveOf('22.9.1'), runtimes())).rejects.toThrow(/there already/)
  })

  it('is taken from nobody else, and not when it is another one', async () => {
    serve({ '22.1.0': { integrity: `sha512-${'A'.repeat(86)}==` } })
    await expect(fetched('22')).rejects.toThrow(/not what the registry tells/)
    serve({ '22.1.0': { tarball: 'http://elsewhere.example/node.tgz' } })
    await expect(fetched('22')).rejects.toThrow(/leads to another host/)
    serve({ '22.1.0': {} })
    answers.set('/22.1.0.tgz', { to: 'http://elsewhere.example/node.tgz' })
    await expect(fetched('22')).rejects.toThrow(/does not answer/)
    for (const list of ['no JSON', '{}', '{"versions":{"22.1.0":{"dist":{}}}}']) {
      answers.set(`/${PACKAGE}`, list)
      await expect(fetched('22')).rejects.toThrow(/no list of versions/)
    }
    answers.clear()
    await expect(fetched('22')).rejects.toThrow(/answers 404/)
  })
})

describe('an archive of Node', () => {
  it.each<[string, RegExp, (binary: string) => void]>([
    ['has a link in its place', /cannot be unpacked/, (one) => symlinkSync('/bin/sh', one)],
    ['has another program', /does not run here/, (one) => writeFileSync(one, '#!/bin/false\n')],
    ['has no program', /has no bin\/node/, () => undefined],
  ])('that %s leaves nothing behind', async (_, reason, make) => {
    await expect(addNode(archiveOf('22.1.0', make), runtimes())).rejects.toThrow(reason)
    expect(await addedNodes(runtimes())).toEqual([])
    expect(execFileSync('ls', ['-A', runtimes()]).toString()).toBe('')
  })

  it('may be one of nodejs.org, of which the program alone is taken', async () => {
    const root = join(directory, `node-v22.1.0-linux-${process.arch}`)
    mkdirSync(join(root, 'bin'), { recursive: true })
    writeFileSync(join(root, 'bin/node'), '#!/bin/sh\necho v22.1.0\n', { mode: 0o755 })
    writeFileSync(join(root, 'README.md'), '')
    const file = join(directory, 'node.tar.xz')
    execFileSync('tar', ['-cJf', file, '-C', directory, `node-v22.1.0-linux-${process.arch}`])
    expect(await addNode(file, runtimes())).toBe('22.1.0')
    expect(existsSync(join(runtimes(), 'node-22.1.0/README.md'))).toBe(false)
  })
})

it('is removed, but not from under an application that names it, unless that is wanted', async () => {
  await addNode(archiveOf('22.1.0'), runtimes())
  const users = async (version: string) => (version === '22.1.0' ? ['alice/shop'] : [])
  const remove = (version: string, usersOf = users) => removeNode(version, runtimes(), usersOf)
  await expect(remove('22.2.0')).rejects.toThrow(/was not added here\. Added: 22\.1\.0/)
  await expect(remove('22.1.0')).rejects.toThrow(/used by alice\/shop/)
  expect(await addedNodes(runtimes())).toEqual(['22.1.0'])
  await remove('22.1.0', async () => [])
  expect(await addedNodes(runtimes())).toEqual([])
})
