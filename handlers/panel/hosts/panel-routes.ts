import { z } from 'zod'
import { isLinkAddress } from '../../domain/hosts/link-address.ts'
import { panelBundleSchema } from '../../domain/hosts/panel-bundle.ts'
import type { Services } from '../../services/services.ts'
import { named, timestamp } from '../frame/common-schemas.ts'
import { text } from '../frame/fields.ts'
import type { Route } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'

export const panelsSchema = named('Panels', {
  store: z
    .object({
      kind: z.enum(['sqlite', 'postgresql', 'd1']),
      version: z.string().nullable().describe('Of what keeps the records; null: not told.'),
      place: z.string().describe('A file, or user@host:port/database.'),
    })
    .nullable()
    .describe('Where the records are; null: not told.'),
  panels: z
    .array(
      z.object({
        id: z.string(),
        name: z.string().describe('Of its machine.'),
        version: z.string(),
        seen_at: timestamp(),
        alive: z.boolean().describe('Whether it was heard of within half a minute.'),
        own: z.boolean().describe('Whether it is the one that answers.'),
      }),
    )
    .describe('Those that share the store; empty: this one is alone with it.'),
})

const on = routesOf('Hosts')

/** Instances of the panel over one store. */
export const panelRoutes = ({ panels, audit }: Services): Route[] => [
  on.system.get('/api/panels', {
    summary: 'Lists the panels that share the records, and where those are',
    data: panelsSchema,
    handle: () => panels.list(),
  }),
  on.system.post('/api/panels/invitations', {
    summary: 'Invites a machine to run this panel too',
    description:
      'Answers a token for "berth panel join" as root there, which counts once, for 15 minutes. Whoever has it gets the key of all sessions and the way to the records.',
    body: z.object({
      address: text('address', 260)
        .refine(
          isLinkAddress,
          'address is not one. Write "192.0.2.10:7070", "panel.example:7070" or "[2001:db8::7]:7070".',
        )
        .describe('host:port of this very panel, as the other machine reaches it.'),
    }),
    strict: true,
    data: z.object({ token: z.string().describe('Shown this once.'), until: timestamp() }),
    errors: {
      409: 'The records are in a file, or this panel is reached without TLS.',
      503: 'This panel hands nothing over.',
    },
    handle: ({ body: { address } }) => panels.invite(address),
  }),
  on.open('/api/panels/join', {
    open: 'no-token',
    summary: 'Hands over what a panel needs that joins',
    description:
      'For "berth panel join", by the secret of an invitation. The answer holds the key of all sessions.',
    body: z.object({
      secret: text('secret', 100),
      version: text('version', 100).describe('Of Berth there.'),
      link: z
        .object({
          id: text('id', 63).regex(/^[a-z0-9][a-z0-9-]*$/, 'id is not one of a panel.'),
          certificate: text('certificate', 4096).describe('PEM.'),
          key: text('key', 43).describe('Ed25519 public key, base64url.'),
        })
        .describe('Its own keys at links, which hosts obey from then on.'),
    }),
    strict: true,
    data: panelBundleSchema,
    errors: {
      401: 'The secret was used, has run out, or is none.',
      409: 'Another version, or the records are in a file.',
      503: 'This panel hands nothing over.',
    },
    async handle({ body, clientAddress }) {
      const bundle = await panels.join(body)
      audit.record({
        ...{ actor: body.link.id, role: 'admin', via: 'invitation' },
        ...{ action: 'POST /api/panels/join', summary: 'Hands over what a panel needs that joins' },
        ...{ target: `id=${body.link.id}`, address: clientAddress, status: 200 },
      })
      return bundle
    },
  }),
]
