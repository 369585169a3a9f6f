import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CLEAN_ENV } from '#adapters/node/process/clean-env.ts'
import { runCommand } from '#adapters/node/process/run-command.ts'
import { freePorts } from '../free-ports.ts'
import { untilListening } from '../waiting/until-listening.ts'

/** A real DNS server with zones that a key may change. */
export interface Bind9 {
  port: number
  /** `127.0.0.1:port`. */
  address: string
  /** Of the TSIG key, which may change text records of `_acme-challenge`. */
  keyName: string
  secret: string
  /** Gives a name an address of its own, 127.0.0.1: one with a record below it has none of the zone's wildcard (RFC 4592, 2.2.2). */
  addAddress(name: string): Promise<void>
  /** Lets a name lead to another, by a CNAME record. */
  setAlias(name: string, target: string): Promise<void>
  /** Gives a name a record of type CAA, e.g. `0 issue ";"`. */
  setCaa(name: string, value: string): Promise<void>
  /** Makes these the text records of a name. */
  setTexts(name: string, values: readonly string[]): Promise<void>
  /** Text records that it shows now. */
  texts(name: string): Promise<string[]>
  stop(): Promise<void>
}

const KEY = 'berth-key'

/**
 * Starts named with these zones, below each of which every name is at 127.0.0.1; `records`: further
 * lines of the zone, by zone. With several it also follows records of type CNAME from one into the other, as
 * resolvers do, and knows of no other zone in the world.
 */
export const startBind9 = async (
  zones: readonly string[],
  records: Readonly<Record<string, readonly string[]>> = {},
): Promise<Bind9> => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-bind-'))
  chmodSync(directory, 0o755)
  const [port = 0] = await freePorts(1)
  const secret = randomBytes(32).toString('base64')
  const zoneText = (zone: string): string =>
    [
      '$TTL 1',
      `@ IN SOA ns.${zone}. admin.${zone}. 1 3600 600 86400 1`,
      `@ IN NS ns.${zone}.`,
      '@ IN A 127.0.0.1',
      'ns IN A 127.0.0.1',
      '* IN A 127.0.0.1',
      ...(records[zone] ?? []),
      '',
    ].join('\n')
  for (const zone of zones) writeFileSync(join(directory, `${zone}.zone`), zoneText(zone))
  const resolves = zones.length > 1
  if (resolves)
    writeFileSync(
      join(directory, 'root.zone'),
      '$TTL 1\n@ IN SOA ns. admin. 1 3600 600 86400 1\n@ IN NS ns.\nns IN A 127.0.0.1\n',
    )
  const rootLine = resolves ? `zone "." { type primary; file "${directory}/root.zone"; };` : ''
  const policy = 'grant berth-key wildcard *; '
  const zoneLines = zones.map(
    (zone) =>
      `zone "${zone}" { type primary; file "${directory}/${zone}.zone"; update-policy { ${policy} }; };`,
  )
  writeFileSync(
    join(directory, 'named.conf'),
    `options {
  directory "${directory}";
  pid-file "${directory}/named.pid";
  session-keyfile "${directory}/session.key";
  managed-keys-directory "${directory}";
  listen-on port ${port} { 127.0.0.1; };
  listen-on-v6 { none; };
  recursion ${resolves ? 'yes' : 'no'};
  dnssec-validation no;
  allow-query { 127.0.0.0/8; };
};
controls { };
key "${KEY}" { algorithm hmac-sha256; secret "${secret}"; };
${[...zoneLines, rootLine].join('\n')}
`,
  )
  let output = ''
  const child = spawn(
    '/usr/sbin/named',
    ['-g', '-4', '-n', '1', '-c', join(directory, 'named.conf')],
    {
      env: CLEAN_ENV,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const kill = (): void => void child.kill('SIGKILL')
  process.on('exit', kill)
  const stop = async (): Promise<void> => {
    process.off('exit', kill)
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit')
      kill()
      await ended
    }
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    await untilListening(port, 30_000)
  } catch (error) {
    await stop()
    throw new Error(`named did not start:\n${output}`, { cause: error })
  }
  const address = `127.0.0.1:${port}`
  const update = async (...lines: string[]): Promise<void> => {
    const head = [`server 127.0.0.1 ${port}`, `key hmac-sha256:${KEY} ${secret}`]
    const input = [...head, ...lines, 'send', ''].join('\n')
    const { code, stderr } = await runCommand('/usr/bin/nsupdate', [], { input })
    if (code !== 0) throw new Error(`nsupdate: ${stderr}`)
  }
  const resolver = new Resolver({ timeout: 2000, tries: 1 })
  resolver.setServers([address])
  return {
    ...{ port, address, keyName: KEY, secret },
    addAddress: (name) => update(`update add ${name}. 1 IN A 127.0.0.1`),
    setAlias: (name, target) => update(`update add ${name}. 1 IN CNAME ${target}.`),
    setCaa: (name, value) => update(`update add ${name}. 1 IN CAA ${value}`),
    setTexts: (name, values) =>
      update(
        `update delete ${name}. IN TXT`,
        ...values.map((value) => `update add ${name}. 1 IN TXT "${value}"`),
      ),
    texts: async (name) =>
      (await resolver.resolveTxt(name).catch(() => [])).map((parts) => parts.join('')),
    stop,
  }
}
