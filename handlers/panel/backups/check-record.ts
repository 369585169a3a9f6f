import { z } from 'zod'
import { AppError } from '../../errors.ts'
import type { AccountRecord } from '../../ports/host/backups/archived-records.ts'
import type { ImportChoices } from '../../services/backups/import/plan-import.ts'
import {
  applicationFields,
  applicationName,
  assertVariables,
  sitePaths,
} from '../applications/application-fields.ts'
import { cronFields, keptCommand } from '../cron/cron-fields.ts'
import { keyRecord, repositoryKeyRecord, userRecord } from '../sftp/sftp-fields.ts'
import { rulesBody } from '../cache/bodies.ts'
import { scheduleBody } from './schedule-routes.ts'
import { megabytes, text } from '../frame/fields.ts'

const accountFields = z.object({
  email: text('email', 254)
    .pipe(z.email('email must be an address such as name@example.com.'))
    .optional(),
  plan: text('plan', 32).optional(),
  disk_quota_mb: megabytes('disk_quota_mb').optional(),
  bandwidth_quota_mb: megabytes('bandwidth_quota_mb').optional(),
  suspend_reason: text('suspend_reason', 500).nullable(),
})

const domainFields = z.object({
  document_root: text('document_root', 8192),
  php_version: text('php_version', 16)
    .regex(/^\d{1,2}\.\d{1,2}$/, 'php_version must look like 8.2.')
    .nullable(),
})

const cronRecord = z.object(cronFields)
const applicationRecord = z.object({ name: applicationName(), ...applicationFields })

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** As the API takes it; of a program the list that its text is. */
const commandOf = ({ kind, command }: AccountRecord['cron'][number]): string | string[] => {
  if (kind !== 'command') return command
  const list = z.array(z.string()).safeParse(parsed(command))
  if (list.success) return list.data
  throw new AppError(400, 'The archive is refused: a cron job has no program with arguments.')
}

const checked = (schema: z.ZodType, value: unknown, whose: string): void => {
  const [issue] = schema.safeParse(value).error?.issues ?? []
  if (issue === undefined) return
  throw new AppError(400, `The archive is refused: ${whose}: ${issue.message}`)
}

/** An archive may tell of tens of thousands of things, and everybody waits while they are judged. */
const AT_ONCE = 20

const takeTurns = () => {
  let done = 0
  return async (): Promise<void> => {
    if (++done % AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve, 0))
  }
}

/**
 * The checks that the API makes of what is sent to it, for what an archive tells:
 * rejects with 400 for the first value that it would not take. Names, document roots, plans
 * and versions are judged by the services besides.
 */
export const checkRecord = async (record: AccountRecord, choices: ImportChoices): Promise<void> => {
  const { account } = record
  const turn = takeTurns()
  checked(
    accountFields,
    {
      ...account,
      // Empty, or 0, where the archive does not tell it.
      disk_quota_mb: account.disk_quota_mb || undefined,
      bandwidth_quota_mb: account.bandwidth_quota_mb || undefined,
      email: choices.email ?? (account.email || undefined),
      plan: choices.plan ?? (account.plan || undefined),
    },
    'the account',
  )
  if (record.backup_schedule) checked(scheduleBody, record.backup_schedule, 'its backup schedule')
  for (const key of record.sftp.keys)
    checked(keyRecord, key, `the SSH key ${key.name.slice(0, 100)}`)
  for (const user of record.sftp.users)
    checked(userRecord, user, `the SFTP user ${user.name.slice(0, 40)}`)
  for (const job of record.cron) {
    await turn()
    checked(cronRecord, job, `the cron job ${job.name.slice(0, 100)}`)
    keptCommand(job.kind, commandOf(job))
  }
  for (const { domains, keys, ...application } of record.applications) {
    await turn()
    const whose = `the application ${application.name.slice(0, 32)}`
    checked(applicationRecord, application, whose)
    assertVariables('environment', application.environment)
    for (const key of keys)
      checked(repositoryKeyRecord, key, `the SSH key ${key.name.slice(0, 100)}`)
    for (const { paths } of domains) checked(sitePaths(), paths, whose)
  }
  for (const domain of record.domains) {
    await turn()
    const { domain_name } = domain
    checked(domainFields, domain, domain_name)
    checked(
      rulesBody,
      {
        enabled: domain.cache_enabled,
        ttl: domain.cache_ttl,
        exclude: domain.cache_exclude,
        bypass_cookies: domain.cache_bypass_cookies,
        ignore_params: domain.cache_ignore_params,
        mobile_variant: domain.cache_mobile_variant,
        harmless_cookies: domain.cache_harmless_cookies,
        session_cookies: domain.cache_session_cookies,
        application: domain.cache_application,
        fills: domain.cache_fills,
      },
      domain_name,
    )
  }
}
