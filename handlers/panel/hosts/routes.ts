import { z } from 'zod'
import { isLinkAddress } from '../../domain/hosts/link-address.ts'
import { isVisitorAddress } from '../../domain/hosts/visitor-address.ts'
import { notFound } from '../../errors.ts'
import type { Services } from '../../services/services.ts'
import { count, named, timestamp } from '../frame/common-schemas.ts'
import { numberText, oneOf, text } from '../frame/fields.ts'
import type { Route } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'

const ROLES = ['host', 'front'] as const

export const hostSchema = named('Host', {
  id: z.int().min(0),
  name: z.string(),
  role: z.enum(ROLES).describe('host: accounts live there; front: it only answers visitors.'),
  local: z.boolean().describe('Whether it is the machine of the panel itself, which has no link.'),
  address: z
    .string()
    .describe(
      "address:port of its link; of the panel's own machine where visitors reach it, empty: not set.",
    ),
  link_id: z.string().describe('What "berth agent show" calls it there.'),
  state: z
    .enum(['joining', 'open', 'closed', 'away', 'gone'])
    .describe(
      'joining: it was invited; open: this panel has dialled it; closed: it gets no new accounts; away: three calls in a row were not answered.',
    ),
  weight: z.int().positive().describe('Its part of new accounts beside others.'),
  accounts: count().describe('Accounts on it.'),
  seen_at: timestamp().nullable().describe('When it last answered.'),
  disk_free_percent: count()
    .nullable()
    .describe('Of the disk with the homes, when it was last asked.'),
  php_versions: z.array(z.string()).describe('Installed there, when it was last asked.'),
  certificate_until: timestamp()
    .nullable()
    .describe('Until when the certificate of its link counts; null: it has none.'),
  join_until: timestamp().nullable().describe('Until when its token counts; null: it has joined.'),
  created_at: timestamp(),
})

const room = z.object({ total_mb: count(), used_mb: count() })
export const hostSumsSchema = named('HostSums', {
  machines: count().describe('That accounts live on; they need not answer.'),
  accounts: count().describe('On all machines.'),
  sites: count().describe('Domains on all machines.'),
  cpu_count: count(),
  memory: room,
  disk: room.describe('Of the disks with the homes.'),
  not_counted: z
    .array(z.string())
    .describe('Machines that do not answer: their processors, memory and disks are not in it.'),
})

export const movedSchema = named('MovedAccount', {
  username: z.string(),
  from: z.string().describe('Name of the machine that it was on.'),
  to: z.string(),
  down_secs: count().describe('For how long only stored pages were served, in seconds.'),
  entries: count().describe('Files, folders and links that were sent, in both copies.'),
  bytes: count().describe('Of files.'),
  skipped: count().describe(
    'What did not move: devices, sockets, links that lead out of the home, what the account may not read.',
  ),
  skipped_paths: z.array(z.string()).describe('The first twenty of them, below the home.'),
  copy_until: timestamp().nullable().describe('Until when the former machine keeps a copy.'),
})
export const drainedSchema = named('DrainedHost', {
  host: z.string(),
  moved: z.array(z.string()).describe('Usernames.'),
  failed: z.array(z.object({ username: z.string(), error: z.string() })),
})
export const copySchema = named('AccountCopy', {
  username: z.string(),
  until: timestamp()
    .nullable()
    .describe(
      'When it is removed by itself; null: a move that failed has left it, and it goes as soon as the machine answers.',
    ),
})

const createSchema = z.object({
  name: text('name', 63).regex(
    /^[a-z0-9][a-z0-9-]*$/,
    'name may hold small letters, digits and hyphens, and begins with no hyphen.',
  ),
  address: text('address', 260)
    .refine(
      isLinkAddress,
      'address is not one. Write "192.0.2.10", "host.example:7072" or "[2001:db8::7]:7072".',
    )
    .describe('Where its link listens, as this panel reaches it. Default port: 7072.'),
  role: oneOf('role', ROLES).default('host'),
})

const params = z.object({ name: z.string().describe('Name of the host.') })
const on = routesOf('Hosts')
const NOT_FOUND = 'No such host.'

/** Other machines. */
export const hostRoutes = ({ hosts, moves, drain, accounts }: Services): Route[] => [
  on.system.get('/api/hosts', {
    summary: 'Lists the machines that this panel manages',
    description:
      'That of the panel itself first, the others by name. They are asked every ten seconds; with none but its own nothing is asked.',
    data: z.array(hostSchema),
    handle: () => hosts.list(),
  }),
  on.system.get('/api/hosts/sums', {
    summary: 'What all machines have together',
    description: 'They are asked at once, for five seconds at most; fronts are none of them.',
    data: hostSumsSchema,
    handle: () => hosts.sums(),
  }),
  on.system.post('/api/hosts', {
    summary: 'Invites another machine',
    description:
      'Answers a token for "berth agent join" as root there, which counts once, for 15 minutes. Then open it.',
    body: createSchema,
    strict: true,
    data: hostSchema.extend({
      token: z.string().describe('Shown this once; only a public key is kept of it.'),
    }),
    errors: { 409: 'There is a host of that name.', 503: 'This panel reaches no other machines.' },
    handle: ({ body }) => hosts.add(body),
  }),
  on.system.post('/api/hosts/:name/open', {
    summary: 'Dials a machine that has joined, or opens one that was closed',
    description:
      'One that has joined proves that it was given the token, and the certificate that it shows is the only one that is accepted of it from then on.',
    params,
    data: hostSchema,
    errors: {
      404: NOT_FOUND,
      409: 'It is open already, or its token counts no more.',
      503: 'It cannot be reached, or proves nothing.',
    },
    handle: ({ params: { name } }) => hosts.open(name),
  }),
  on.system.post('/api/hosts/:name/close', {
    summary: 'Places no new accounts on a machine',
    description: 'Those that are on it go on as before, and are managed as before.',
    params,
    data: hostSchema,
    errors: { 404: NOT_FOUND, 409: 'It has not joined yet.' },
    handle: ({ params: { name } }) => hosts.close(name),
  }),
  on.system.post('/api/hosts/:name/rotate', {
    summary: 'Changes the certificate of a machine',
    description:
      'It is done by itself every year. The machine makes a key that stays there, shows the new certificate, and this panel accepts no other from then on.',
    params,
    data: hostSchema,
    errors: {
      404: NOT_FOUND,
      409: 'It has no link, has not joined yet, or lost the new one; try again then.',
      503: 'It cannot be reached.',
    },
    async handle({ params: { name } }) {
      await hosts.rotateCertificate(name)
      const host = (await hosts.list()).find((one) => one.name === name)
      if (host === undefined) throw notFound(NOT_FOUND)
      return host
    },
  }),
  on.system.post('/api/hosts/:name/drain', {
    summary: 'Moves all accounts off a machine',
    description:
      'Closes it, then moves its accounts to machines that are open and have room, two at a time, as POST /api/accounts/:id/relocate does. What cannot be moved stays, and is told.',
    params,
    data: drainedSchema,
    errors: { 404: NOT_FOUND, 409: 'It has not joined yet.' },
    job: {
      kind: 'host.drain',
      async about({ params: { name } }) {
        const known = (await hosts.list()).some((one) => one.name === name)
        if (!known) throw notFound(NOT_FOUND)
        return { subject: name, accountId: null }
      },
    },
    handle: ({ params: { name }, report }) => drain(name, report),
  }),
  on.system.post('/api/accounts/:id/relocate', {
    summary: 'Moves an account to another machine',
    description:
      'Its files are copied while its sites go on, then once more what changed meanwhile, with the databases, while it is closed: pages that are stored are served, everything else answers 503. Passwords, certificates, users of databases, keys and secret variables go along. Whatever fails before it is served from there leaves it where it was. Then the former machine leads visitors there, and keeps a copy for seven days.',
    params: z.object({ id: numberText('id') }),
    body: z.object({ host: text('host', 63).describe('Name of the machine.') }),
    strict: true,
    data: movedSchema,
    errors: {
      404: 'No such account.',
      409: 'It is there already, that machine is closed or lacks something, or the account is being changed.',
      503: 'One of both does not answer, or cannot do it at present; the account is where it was.',
    },
    job: {
      kind: 'account.relocate',
      about: async ({ params: { id } }) => ({
        subject: (await accounts.get(id)).username,
        accountId: id,
      }),
    },
    handle: ({ params: { id }, body: { host }, report }) => moves.move(id, host, report),
  }),
  on.system.get('/api/hosts/:name/copies', {
    summary: 'Lists what moves have left on a machine',
    params,
    data: z.array(copySchema),
    errors: { 404: NOT_FOUND },
    handle: ({ params: { name } }) => moves.copies(name),
  }),
  on.system.delete('/api/hosts/:name/copies/:username', {
    summary: 'Removes what a move has left, before its time',
    description: 'From then on that machine does not lead visitors to where the account is.',
    params: params.extend({ username: z.string() }),
    data: z.object({ username: z.string(), deleted: z.literal(true) }),
    errors: { 404: 'No such host or copy.', 503: 'The host does not answer.' },
    async handle({ params: { name, username } }) {
      await moves.removeCopy(name, username)
      return { username, deleted: true as const }
    },
  }),
  on.system.patch('/api/hosts/:name', {
    summary: "Changes a machine's part of new accounts, or the address of the panel's own",
    description:
      "The address of the panel's own machine is what machines lead visitors to whose accounts were moved to it.",
    params,
    body: z.object({
      weight: z
        .int('weight must be a whole number.')
        .min(1, 'weight must be 1 at least.')
        .max(1000, 'weight must be 1000 at most.')
        .optional()
        .describe('Twice the weight of another: twice its accounts.'),
      address: text('address', 253)
        .refine(
          (given) => given === '' || isVisitorAddress(given),
          'address is not one. Write "192.0.2.1", "2001:db8::7" or "host.example", without a port.',
        )
        .optional()
        .describe("Where visitors reach the panel's own machine; empty: not known."),
    }),
    strict: true,
    data: hostSchema,
    errors: {
      404: NOT_FOUND,
      409: "It has not joined yet, or the address is not that of the panel's own machine.",
    },
    handle: ({ params: { name }, body: { weight, address } }) =>
      hosts.change(name, {
        ...(weight === undefined ? {} : { weight }),
        ...(address === undefined ? {} : { address }),
      }),
  }),
  on.system.delete('/api/hosts/:name', {
    summary: 'Forgets a machine',
    description: 'It is told nothing: "berth agent forget-panel" there lets this panel go.',
    params,
    data: z.object({ name: z.string(), deleted: z.literal(true) }),
    errors: { 404: NOT_FOUND, 409: "Accounts are on it, or it is the panel's own machine." },
    async handle({ params: { name } }) {
      await hosts.remove(name)
      return { name, deleted: true as const }
    },
  }),
]
