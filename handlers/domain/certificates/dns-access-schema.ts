import { z } from 'zod'
import { DNS_ACCESS_PATTERNS, parseDnsServer } from './dns-access.ts'

/** Access to a zone with its key, as it goes to the agent, which keeps it so. */
export const newDnsAccessSchema = z.object({
  name: z.string().regex(DNS_ACCESS_PATTERNS.name),
  kind: z.literal('rfc2136'),
  server: z.string().refine((text) => parseDnsServer(text) !== null),
  zone: z.string().max(253).regex(DNS_ACCESS_PATTERNS.zone),
  key_name: z.string().regex(DNS_ACCESS_PATTERNS.key_name),
  secret: z.string().regex(DNS_ACCESS_PATTERNS.secret),
})
