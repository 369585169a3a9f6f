import { z } from 'zod'
import type { SiteTest } from '../../ports/host/web/site-test.ts'
import {
  MAX_DRAFT,
  MAX_TEST_HEADERS,
  MAX_TEST_URL,
  readTestAddress,
  TEST_METHODS,
  testHeaderProblem,
} from './test-rules.ts'

/** Header fields of a tested request, names in lower case. */
export const testHeaders = () =>
  z.record(z.string(), z.string()).superRefine((headers, issues) => {
    const fields = Object.entries(headers)
    if (fields.length > MAX_TEST_HEADERS)
      issues.addIssue({
        code: 'custom',
        message: `headers must be at most ${MAX_TEST_HEADERS}.`,
      })
    for (const [name, value] of fields.slice(0, MAX_TEST_HEADERS)) {
      const problem = testHeaderProblem(name, value)
      if (problem !== null) issues.addIssue({ code: 'custom', message: `headers: ${problem}` })
    }
  })

/** As many bytes as a file of rules may have. */
export const testDraft = () =>
  z
    .string()
    .max(MAX_DRAFT, 'draft must be at most 128 KiB.')
    .refine((text) => !text.includes('\0'), 'draft must not contain NUL.')
    .refine(
      (text) => new TextEncoder().encode(text).byteLength <= MAX_DRAFT,
      'draft must be at most 128 KiB.',
    )

/** Fields of a `SiteTest` as they come from another process. */
export const siteTestFields = {
  domain: z.string().max(253),
  method: z.enum(TEST_METHODS),
  url: z
    .string()
    .max(MAX_TEST_URL)
    .refine((url) => readTestAddress(url) !== null, 'url must be an address with http or https.'),
  headers: testHeaders(),
  clientAddress: z.union([z.ipv4(), z.ipv6()]),
  draft: testDraft().nullable(),
}

/** A whole test likewise. */
export const siteTestOrder: z.ZodType<SiteTest> = z.object(siteTestFields)
