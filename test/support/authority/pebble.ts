import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CLEAN_ENV } from '#adapters/node/process/clean-env.ts'
import { freePorts } from '../free-ports.ts'
import { makeCertificate } from '../make-certificate.ts'
import { untilListening } from '../waiting/until-listening.ts'

/** A certificate authority of its own on 127.0.0.1, with its own DNS. */
export interface Pebble {
  /** URL of its ACME directory. */
  directory: string
  /** File with the root that its own https is trusted by. */
  caFile: string
  /** Root of the certificates that it issues, PEM. */
  issuedRoot(): Promise<string>
  /** Where it finds a name; all others are at 127.0.0.1. */
  setAddress(name: string, address: string): Promise<void>
  /** All that it wrote. */
  output(): string
  stop(): Promise<void>
}

/** Lines of `[panel]` for an instance that gets its certificates there. */
export const acmeSettings = ({ directory, caFile }: Pick<Pebble, 'directory' | 'caFile'>): string =>
  `acme_email = "admin@example.com"
acme_directory = "${directory}"
acme_ca_file = "${caFile}"`

const readText = (url: string, ca: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const outgoing = request(url, { ca, agent: false }, (incoming) => {
      let text = ''
      incoming.setEncoding('utf8')
      incoming.on('data', (chunk: string) => (text += chunk))
      incoming.on('end', () => resolve(text))
    })
    outgoing.on('error', reject)
    outgoing.end()
  })

/**
 * Starts Pebble, which asks for challenges at `httpPort`. `validitySecs` is that
 * of what it issues (default 90 days).
 */
export const startPebble = async (options: {
  httpPort: number
  validitySecs?: number
  /** Keys (base64url) of customers by their ids, of which a new account then has to name one. */
  customers?: Readonly<Record<string, string>>
  /** Where it looks names up, `address:port`, instead of a server of its own. */
  dnsServer?: string
}): Promise<Pebble> => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-pebble-'))
  chmodSync(directory, 0o755)
  const [acme = 0, management = 0, dns = 0, control = 0, unused = 0] = await freePorts(5)
  const root = makeCertificate({ names: ['Pebble Root'], authority: true })
  const own = makeCertificate({ names: ['localhost'], addresses: ['127.0.0.1'], issuer: root })
  const file = (name: string, text: string): string => {
    writeFileSync(join(directory, name), text)
    return join(directory, name)
  }
  const caFile = file('ca.pem', root.certificate)
  const config = {
    pebble: {
      listenAddress: `127.0.0.1:${acme}`,
      managementListenAddress: `127.0.0.1:${management}`,
      certificate: file('own.pem', own.certificate),
      privateKey: file('own.key', own.key),
      httpPort: options.httpPort,
      tlsPort: unused,
      ocspResponderURL: '',
      externalAccountBindingRequired: options.customers !== undefined,
      externalAccountMACKeys: options.customers ?? {},
      certificateValidityPeriod: options.validitySecs ?? 90 * 86_400,
    },
  }
  let text = ''
  const start = (program: string, args: string[]): ChildProcess => {
    const child = spawn(program, args, {
      cwd: directory,
      // No pauses before it asks, and every name is asked for at every order.
      env: { ...CLEAN_ENV, PEBBLE_VA_NOSLEEP: '1', PEBBLE_AUTHZREUSE: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')))
    return child
  }
  const children = [
    start('/usr/bin/pebble-challtestsrv', [
      ...['-management', `127.0.0.1:${control}`, '-dns01', `127.0.0.1:${dns}`],
      ...['-http01', '', '-https01', '', '-tlsalpn01', '', '-defaultIPv6', ''],
      ...['-defaultIPv4', '127.0.0.1'],
    ]),
    start('/usr/bin/pebble', [
      ...['-config', file('pebble.json', JSON.stringify(config))],
      ...['-dnsserver', options.dnsServer ?? `127.0.0.1:${dns}`, '-strict'],
    ]),
  ]
  const killAll = (): void => children.forEach((child) => void child.kill('SIGKILL'))
  process.on('exit', killAll)
  const stop = async (): Promise<void> => {
    process.off('exit', killAll)
    await Promise.all(
      children.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return
        const ended = once(child, 'exit')
        child.kill('SIGKILL')
        await ended
      }),
    )
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    for (const port of [acme, management, control]) await untilListening(port, 30_000)
  } catch (error) {
    await stop()
    throw new Error(`Pebble did not start:\n${text}`, { cause: error })
  }
  return {
    directory: `https://localhost:${acme}/dir`,
    caFile,
    issuedRoot: () => readText(`https://localhost:${management}/roots/0`, root.certificate),
    async setAddress(name, address) {
      for (const [action, body] of [
        ['clear-a', { host: name }],
        ['add-a', { host: name, addresses: [address] }],
      ] as const) {
        const response = await fetch(`http://127.0.0.1:${control}/${action}`, {
          method: 'POST',
          body: JSON.stringify(body),
        })
        if (!response.ok) throw new Error(`challtestsrv: ${response.status}`)
      }
    },
    output: () => text,
    stop,
  }
}
