import { z } from 'zod'
import { change, done, few, line, many, read, short, SLOW_SECS } from './answer-shapes.ts'

const wordpressExtensionAnswer = z.object({
  slug: short,
  name: short,
  version: short.nullable(),
  newest: line.nullable(),
})

const foundWordpressAnswer = z.object({
  domain: line,
  path: line,
  directory: line,
  version: short.nullable(),
  newest: line.nullable(),
  staging_of: line.nullable(),
  plugins: many(wordpressExtensionAnswer),
  themes: many(wordpressExtensionAnswer),
})

const wordpressSourceAnswer = z.object({
  version: short,
  locales: few(line),
  localised: short.nullable(),
  source: z.enum(['folder', 'archive', 'official']),
})

const wordpressAdministratorAnswer = z.object({ id: z.number(), login: short, email: line })

const wordpressSettingsAnswer = z.object({ debug: z.boolean(), withoutCron: z.boolean() })

const wordpressIntegrityAnswer = z.object({
  checked: z.number(),
  changed: many(line),
  missing: many(line),
  added: many(line),
  cut: z.boolean(),
})

const replacedAddressAnswer = z.object({
  rows: z.number(),
  values: z.number(),
  skipped: many(line),
})

const wordpressTableAnswer = z.object({
  name: short,
  rows: z.number(),
  bytes: z.number(),
  bound_to: many(short),
})

const wordpressSurveyAnswer = z.object({
  bytes: z.number(),
  files: z.number(),
  database: short,
  prefix: line,
  tables: many(wordpressTableAnswer),
  network: z.object({ domain: line, path: line, names: many(line) }).nullable(),
})

const extensionKindAnswer = z.enum(['plugin', 'theme'])

const placedPackageAnswer = z.object({
  file: line,
  holds: z
    .object({ version: short, kind: extensionKindAnswer, slug: short, name: short })
    .nullable(),
  problem: line.nullable(),
})

const offeredExtensionAnswer = z.object({ version: short, kind: extensionKindAnswer, slug: short })

/** Answers about WordPress sites, by port and method. */
export const WORDPRESS_ANSWERS = {
  wordpress: {
    find: read(many(foundWordpressAnswer), { limitSecs: SLOW_SECS }),
    sources: read(many(wordpressSourceAnswer), { limitSecs: SLOW_SECS }),
  },
  wordpressInstall: {
    assertFree: read(done, { limitSecs: SLOW_SECS }),
    install: change(z.object({ version: short })),
    uninstall: change(done),
  },
  wordpressLogin: {
    administrators: read(many(wordpressAdministratorAnswer), { limitSecs: SLOW_SECS }),
    ticket: change(z.object({ ticket: line }), { isSecret: true }),
  },
  wordpressCare: {
    settings: read(wordpressSettingsAnswer, { limitSecs: SLOW_SECS }),
    configure: change(wordpressSettingsAnswer),
    setPassword: change(done),
    integrity: read(wordpressIntegrityAnswer, { limitSecs: SLOW_SECS }),
    replaceAddress: change(replacedAddressAnswer),
  },
  wordpressUpdate: {
    check: read(z.object({ database: short }), { limitSecs: SLOW_SECS }),
    exchange: change(done),
    upgrade: change(z.object({ version: short })),
    revert: change(done),
    settle: change(done),
  },
  wordpressCopy: {
    survey: read(wordpressSurveyAnswer, { limitSecs: SLOW_SECS }),
    copy: change(done),
    remove: change(done),
    push: change(done),
    revert: change(done),
    settle: change(done),
  },
  wordpressExtensions: {
    packages: read(many(placedPackageAnswer), { limitSecs: SLOW_SECS }),
    offers: read(z.object({ offers: many(offeredExtensionAnswer), asked: z.boolean() }), {
      limitSecs: SLOW_SECS,
    }),
    exchange: change(z.object({ from: line.nullable(), to: line })),
  },
}
