import { z } from 'zod'
import { refineByKind } from '../../domain/certificates/dns-access-schema.ts'
import { DNS_ACCESS_KINDS, DNS_ACCESS_PATTERNS } from '../../domain/certificates/dns-access.ts'
import type { Services } from '../../services/services.ts'
import { authorize } from '../access/policy.ts'
import { id, numberText, oneOf, text } from '../frame/fields.ts'
import { routesOf } from '../frame/routes-of.ts'
import { dnsAccessSchema } from './schema.ts'

const accessName = () =>
  text('name', 32).regex(
    DNS_ACCESS_PATTERNS.name,
    'name must be 1-32 of a-z, 0-9 and -, and neither begin nor end with -.',
  )

const serverText = () => text('server', 253)
const keyNameText = () =>
  text('key_name', 254)
    .transform((value) => value.replace(/\.$/, ''))
    .refine(
      (value) => DNS_ACCESS_PATTERNS.key_name.test(value),
      'key_name must be the name of a TSIG key, e.g. berth-key.',
    )

const createSchema = z
  .object({
    account_id: id('account_id')
      .nullable()
      .describe("Whose names it is for; null: the panel's own name, which is an administrator's."),
    name: accessName(),
    kind: oneOf('kind', DNS_ACCESS_KINDS)
      .default('rfc2136')
      .describe(
        'Dynamic updates (RFC 2136), the provider whose API changes the zone, or an acme-dns, which registers a record to which a CNAME record leads.',
      ),
    server: serverText()
      .nullable()
      .default(null)
      .describe(
        'With kind rfc2136: primary server of the zone, "host" or "host:port"; it is spoken to over TCP. With acme-dns: its address, e.g. https://auth.example.com.',
      ),
    zone: text('zone', 254)
      .transform((value) => value.toLowerCase().replace(/\.$/, ''))
      .refine(
        (value) => value.length <= 253 && DNS_ACCESS_PATTERNS.zone.test(value),
        'zone must be a zone such as example.com.',
      )
      .describe('E.g. example.com; with acme-dns the name that the CNAME record is for.'),
    key_name: keyNameText()
      .nullable()
      .default(null)
      .describe('With kind rfc2136: name of the TSIG key, for hmac-sha256.'),
    secret: text('secret', 400)
      .nullable()
      .default(null)
      .describe(
        'Of the key, base64; or the API token of the provider. It stays on the host and is never shown again. None with acme-dns, which makes one.',
      ),
  })
  .superRefine(refineByKind)

const changeSchema = z
  .object({
    server: serverText().optional().describe('With kind rfc2136.'),
    key_name: keyNameText().optional().describe('With kind rfc2136.'),
    secret: text('secret', 400)
      .optional()
      .describe('A new key or token, in place of the one that is there.'),
  })
  .refine(
    (change) => Object.values(change).some((value) => value !== undefined),
    'Send server, key_name or secret: what is to be changed.',
  )

const on = routesOf('SSL')
const params = z.object({ account_id: numberText('account_id') })
const named = z.object({ name: accessName() })
const sortable = ['name', 'zone', 'server', 'created_at'] as const
const deleted = z.object({ name: z.string(), deleted: z.literal(true) })
const NOT_TAKEN =
  'The DNS server or the provider refuses the change, or it or the host does not answer.'
const NO_HOST = 'The host does not answer.'

/** Access to zones, by which names are proved to certificate authorities. */
export const dnsAccessRoutes = ({ dnsAccesses }: Services) => [
  on.system.list('/api/dns-access/panel', {
    summary: "Lists the DNS access for the panel's own name",
    sortable,
    row: dnsAccessSchema,
    errors: { 503: NO_HOST },
    rows: (list) => dnsAccesses.list(null, list),
  }),
  on.account.list('/api/dns-access/:account_id', {
    summary: 'Lists the DNS access of an account',
    sortable,
    params,
    row: dnsAccessSchema,
    errors: { 404: 'No such account.', 503: NO_HOST },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    rows: (list, { params }) => dnsAccesses.list(params.account_id, list),
  }),
  on.account.post('/api/dns-access', {
    summary: 'Adds DNS access',
    description:
      'Certificates for wildcards, and others where it is asked for, are then proved by records in the zone (DNS-01). It is tried first, by a text record of _acme-challenge that is set and removed, and used for names of this account alone, of which it covers those in its zone. An account may have 20.',
    body: createSchema,
    data: dnsAccessSchema,
    errors: {
      404: 'No such account.',
      409: 'The name is taken, there are 20 already, or the account is not active.',
      503: NOT_TAKEN,
    },
    async handle({ body: { account_id, ...access }, caller }) {
      if (account_id === null) authorize(caller, 'system')
      else authorize(caller, 'account', account_id)
      return dnsAccesses.add(account_id, access)
    },
  }),
  on.system.patch('/api/dns-access/panel/:name', {
    summary: "Changes DNS access for the panel's own name",
    params: named,
    body: changeSchema,
    data: dnsAccessSchema,
    errors: { 404: 'No such DNS access.', 503: NOT_TAKEN },
    handle: ({ params: { name }, body }) => dnsAccesses.change(null, name, body),
  }),
  on.account.patch('/api/dns-access/:account_id/:name', {
    summary: 'Changes DNS access of an account',
    description:
      'E.g. a new token. What is not sent stays. It is tried first, as a new one is; where that fails nothing is changed. The zone stays, and an acme-dns as it was registered.',
    params: params.extend(named.shape),
    body: changeSchema,
    data: dnsAccessSchema,
    errors: {
      404: 'No such account or DNS access.',
      409: 'The account is not active.',
      503: NOT_TAKEN,
    },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    handle: ({ params: { account_id, name }, body }) => dnsAccesses.change(account_id, name, body),
  }),
  on.system.delete('/api/dns-access/panel/:name', {
    summary: "Removes DNS access for the panel's own name",
    params: named,
    data: deleted,
    errors: { 404: 'No such DNS access.', 503: NO_HOST },
    async handle({ params: { name } }) {
      await dnsAccesses.remove(null, name)
      return { name, deleted: true as const }
    },
  }),
  on.account.delete('/api/dns-access/:account_id/:name', {
    summary: 'Removes DNS access of an account',
    description: 'Certificates stay; what can only be proved by it is renewed no more.',
    params: params.extend(named.shape),
    data: deleted,
    errors: {
      404: 'No such account or DNS access.',
      409: 'The account is being made or deleted.',
      503: NO_HOST,
    },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    async handle({ params: { account_id, name } }) {
      await dnsAccesses.remove(account_id, name)
      return { name, deleted: true as const }
    },
  }),
]
