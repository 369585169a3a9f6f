import { lookup } from 'node:dns/promises'
import { existsSync } from 'node:fs'
import { parseDnsServer } from '#handlers/domain/certificates/dns-access.ts'
import { invalid, unavailable } from '#handlers/errors.ts'
import { asUser } from '../../../process/as-user.ts'
import { isInternetAddress } from '#handlers/domain/text/internet-address.ts'
import { findUser } from '../../../process/identities.ts'
import { runCommand } from '../../../process/run-command.ts'
import type { KeptAccess } from './access-files.ts'

/** One text record that is set, or taken away again. */
export interface TextRecord {
  /** Without the dot at its end. */
  name: string
  value: string
}

/** What may stand in a record: base64url, as authorities tell it; nothing else reaches a server. */
export const requireGood = ({ name, value }: TextRecord): void => {
  if (!VALUE.test(value) || !NAME.test(name))
    throw unavailable('The certificate authority sent a malformed token.')
}

/** Changes zones; throws 503 with what the server said, 400 (`server`) for a place that is refused. */
export interface ZoneUpdates {
  add(access: KeptAccess, record: TextRecord): Promise<void>
  /** Takes exactly this value away; that it is not there is no failure. */
  remove(access: KeptAccess, record: TextRecord): Promise<void>
}

const NSUPDATE = '/usr/bin/nsupdate'
const ANSWER_SECS = 15
const TTL_SECS = 60
/** What authorities tell is base64url; nothing else comes into a line of the program. */
const VALUE = /^[A-Za-z0-9_-]{1,255}$/
const NAME = /^[a-z0-9_.-]{1,253}$/

/** What is said in place of the program's own words, by the first pattern that fits. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/BADKEY/, 'it does not know this key. Compare the name of the key'],
  [
    /BADSIG|TSIG|BADTRUNC/,
    'the signature does not fit. Compare the secret, which must be hmac-sha256',
  ],
  [/BADTIME/, 'its clock and that of this server differ. Set both'],
  [/REFUSED/, 'it refuses the change. Allow it to the key, for text records of _acme-challenge'],
  [/NOTAUTH|NOTZONE/, 'it is not the primary server of the zone. Correct server or zone'],
  [/NXDOMAIN|SERVFAIL/, 'it has no such zone. Correct the zone'],
  [
    /timed out|timeout|refused|unreachable|failed:/i,
    'it does not answer. Correct the server, or open its TCP port',
  ],
]

const saidBy = (access: KeptAccess, output: string): string => {
  const [, why = 'it does not take the change'] =
    ADVICE.find(([pattern]) => pattern.test(output)) ?? []
  return `The DNS server ${access.server} of the DNS access "${access.name}" cannot be used: ${why}, then try again.`
}

/** The address to speak to: judged, and then connected to as it was judged. */
const addressOf = async (access: KeptAccess, mayBeLocal: boolean): Promise<[string, number]> => {
  const server = parseDnsServer(access.server ?? '')
  if (server === null) throw invalid('server', 'server must be "host" or "host:port".')
  const found = await lookup(server.host, { all: true }).catch(() => [])
  const [first] = found
  if (first === undefined)
    throw invalid('server', `server ${server.host} has no address in the DNS.`)
  if (!mayBeLocal && !found.every(({ address }) => isInternetAddress(address)))
    throw invalid(
      'server',
      `server ${server.host} does not lie in the internet. An administrator can allow that: allow_local_dns = true in [ssl].`,
    )
  return [first.address, server.port]
}

/**
 * Zones are changed by `nsupdate` of bind9-dnsutils: the same code that servers are tested
 * with signs (RFC 8945) and judges signatures, and no library for Node does both. It is told
 * everything on standard input, so the key is in no argument and no file; it runs as nobody,
 * since what it reads comes from servers that tenants choose.
 */
export const createZoneUpdates = (options: {
  asRoot: boolean
  mayBeLocal: boolean
}): ZoneUpdates => {
  const change = async (
    access: KeptAccess,
    record: TextRecord,
    what: 'add' | 'delete',
  ): Promise<void> => {
    requireGood(record)
    const { name, value } = record
    if (!existsSync(NSUPDATE))
      throw unavailable(
        'Zones are changed by nsupdate, which is not installed. Install it: apt-get install bind9-dnsutils',
      )
    const [address, port] = await addressOf(access, options.mayBeLocal)
    const ttl = what === 'add' ? ` ${TTL_SECS}` : ''
    const input = [
      `server ${address} ${port}`,
      `key hmac-sha256:${access.key_name ?? ''} ${access.secret ?? ''}`,
      `zone ${access.zone}.`,
      `update ${what} ${name}.${ttl} IN TXT "${value}"`,
      'send',
      '',
    ].join('\n')
    const who = options.asRoot ? findUser('nobody') : null
    const { program, args } = asUser(
      who === null ? null : { ...who, groups: 'none' },
      NSUPDATE,
      ['-v', '-t', String(ANSWER_SECS)],
      { dieWithParent: true },
    )
    const timeoutMs = (ANSWER_SECS + 5) * 1000
    const { code, stderr } = await runCommand(program, args, {
      input,
      timeoutMs,
      maxOutputBytes: 65_536,
    }).catch((error: unknown) => ({ code: 1, stderr: `timeout ${String(error)}` }))
    if (code !== 0) throw unavailable(saidBy(access, stderr))
  }
  return {
    add: (access, record) => change(access, record, 'add'),
    remove: (access, record) => change(access, record, 'delete'),
  }
}
