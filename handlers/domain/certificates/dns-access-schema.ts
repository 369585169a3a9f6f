import { z } from 'zod'
import { DNS_ACCESS_KINDS, DNS_ACCESS_PATTERNS, unfittingField } from './dns-access.ts'

type Opened = Parameters<typeof unfittingField>[0]

/** What kinds of access have in common; which fields belong to which kind is judged besides. */
export const dnsAccessFields = {
  name: z.string().regex(DNS_ACCESS_PATTERNS.name),
  kind: z.enum(DNS_ACCESS_KINDS),
  server: z.string().max(253).nullable(),
  zone: z.string().max(253).regex(DNS_ACCESS_PATTERNS.zone),
  key_name: z.string().regex(DNS_ACCESS_PATTERNS.key_name).nullable(),
  secret: z.string().max(400).nullable(),
}

/** For `superRefine`: says which field does not fit the kind. */
export const refineByKind = (access: Opened, context: z.RefinementCtx): void => {
  const [field, message] = unfittingField(access) ?? []
  if (field !== undefined) context.addIssue({ code: 'custom', path: [field], message })
}

/** Access to a zone with what opens it, as it goes to the agent, which keeps it so. */
export const newDnsAccessSchema = z.object(dnsAccessFields).superRefine(refineByKind)

/** What of an access is changed, as it goes to the agent. */
export const dnsAccessChangeSchema = z
  .object({
    server: z.string().max(253).optional(),
    key_name: z.string().regex(DNS_ACCESS_PATTERNS.key_name).optional(),
    secret: z.string().max(400).optional(),
  })
  .refine((change) => Object.keys(change).length > 0)
