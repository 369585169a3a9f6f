import { phpSize, sitePhpProblem } from '#handlers/domain/php/site-php-rules.ts'
import type { SitePhp } from '$lib/api/types'
import type { Field } from '$lib/state/forms/field'
import { texts } from '$lib/texts'

type Setting = SitePhp['settings'][number]
type Values = Record<string, string>

/** Name of a setting's field, which is how the API names it when it refuses it. */
export const fieldName = ({ name }: Pick<Setting, 'name'>): string => `php.${name}`

/** What is chosen of a site's PHP; empty: the server's. */
export const phpForm = (php: SitePhp | null): Values =>
  Object.fromEntries(php?.settings.map((one) => [fieldName(one), one.own ?? '']) ?? [])

const shown = ({ rule }: Setting, value: string): string => {
  if (value === '') return texts.site.php.nothing
  if (rule.kind !== 'switch') return value
  return value === '1' ? texts.site.php.on : texts.site.php.off
}

const wrong = ({ name, rule }: Setting, value: string): string | null => {
  if (value === '' || sitePhpProblem(name, value) === null) return null
  if (rule.kind === 'zone') return texts.site.php.zoneBad
  if (rule.kind === 'size') return texts.site.php.sizeBad(phpSize(rule.min), phpSize(rule.max))
  return rule.kind === 'whole' ? texts.site.php.wholeBad(rule.min, rule.max) : null
}

/** Its controls: what is empty follows the server. */
export const phpFields = (php: SitePhp | null): Field<Values>[] =>
  php?.settings.map((one): Field<Values> => {
    const common = {
      name: fieldName(one),
      id: one.name.replaceAll('.', '-'),
      label: one.name,
      help: texts.site.php.now(shown(one, one.value), texts.site.php.sources[one.source]),
    }
    if (one.rule.kind !== 'switch')
      return { ...common, mono: true, check: (value) => wrong(one, value) }
    const options = [
      { value: '', label: texts.site.php.asServer },
      { value: '1', label: texts.site.php.on },
      { value: '0', label: texts.site.php.off },
    ]
    return { ...common, kind: 'choice', options }
  }) ?? []

/** What the form changes, as `PATCH /api/domains/:id/site` takes it. */
export const changedPhp = (
  php: SitePhp,
  values: Values,
): { php?: Record<string, string | null> } => {
  const changed = php.settings.flatMap((one): [string, string | null][] => {
    const value = values[fieldName(one)]?.trim() ?? ''
    return value === (one.own ?? '') ? [] : [[one.name, value === '' ? null : value]]
  })
  return changed.length === 0 ? {} : { php: Object.fromEntries(changed) }
}
