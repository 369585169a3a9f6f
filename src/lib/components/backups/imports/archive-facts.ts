import { moment } from '$lib/format/time/time-zone'
import type { InspectedArchive } from '$lib/api/types'
import { builtInName } from '$lib/format/plan'
import { bytes } from '$lib/format/size'
import { relativeTime } from '$lib/format/timestamp'
import { visibleName } from '$lib/format/visible-name'
import { texts } from '$lib/texts'

/** What an archive tells of its account, in pairs of name and value. */
export const archiveFacts = (one: InspectedArchive) => {
  const t = texts.imports.archive
  const told = (text: string | undefined): string =>
    text === undefined || text === '' ? t.untold : visibleName(text)
  const { archived, uid } = one
  const maker = one.made_by === null ? '' : ` ${t.by(visibleName(one.made_by))}`
  const plan = told(archived?.plan)
  return [
    { name: t.account, value: visibleName(one.username), mono: true },
    {
      name: t.made,
      value: `${relativeTime(one.created_at)}${maker}`,
      title: moment(visibleName(one.created_at)),
    },
    { name: t.plan, value: builtInName(plan) ?? plan },
    { name: t.email, value: told(archived?.email) },
    { name: t.php, value: archived ? (archived.php_version ?? t.phpDefault) : t.untold },
    {
      name: t.files,
      value: `${one.home_entries.toLocaleString(texts.locale)} · ${bytes(one.home_bytes)}`,
    },
    { name: t.size, value: bytes(one.size_bytes) },
    ...(uid === null
      ? []
      : [{ name: t.number, value: one.uid_is_free ? t.numberFree(uid) : t.numberTaken(uid) }]),
  ]
}

/** Sentences that may hold names of an archive, each once. */
export const sentences = (said: readonly string[]): string[] => [...new Set(said.map(visibleName))]
