import type { AccountRecord } from '../../../ports/host/backups/archived-records.ts'
import type { HostPorts } from '../../../ports/host/host.ts'
import type { ImportPlan } from './plan-import.ts'

/** What an import says of a PHP version that the host lacks. */
export const lacksPhp = (version: string, whose: string): string =>
  `PHP ${version} of ${whose} is not installed here; it runs the default version.`

/** The PHP versions of an account and its domains that the host lacks, each in a sentence. */
export const lackingPhp = async (
  { php }: Pick<HostPorts, 'php'>,
  record: AccountRecord | null,
  { username, primary, domains }: ImportPlan,
): Promise<string[]> => {
  const installed = (await php.versions()).map(({ version }) => version)
  const wanted = [
    { whose: username, version: record?.account.php_version ?? null },
    ...[primary, ...domains].map(({ to, settings }) => ({
      whose: to,
      version: settings?.php_version ?? null,
    })),
  ]
  return wanted.flatMap(({ whose, version }) =>
    version === null || installed.includes(version) ? [] : [lacksPhp(version, whose)],
  )
}
