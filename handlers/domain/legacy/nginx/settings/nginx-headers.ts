import { isAltSvc, NO_HTTP3 } from '../../mapped-heads.ts'
import { quoted, understood } from '../../rule-lines.ts'
import type { Directive } from '../../types.ts'
import { responseValues } from '../values/nginx-response-maps.ts'
import { nearestAll, own, type Scope } from '../nginx-scope.ts'
import type { SettingsDeps } from './nginx-settings-deps.ts'
import { nginxTemplate } from '../values/nginx-variables.ts'

/** Without `always` a header is on successes and redirects alone, whoever made them. */
const WELL = '%{REQUEST_STATUS} -lt 400'

/** The condition of a header, as the last argument of `Header`. */
const conditionOf = ({ args }: Directive, expression: string | null): string => {
  const parts = [args[2] === 'always' ? null : WELL, expression].filter((part) => part !== null)
  return parts.length === 0 ? '' : ` ${quoted(`expr=${parts.join(' && ')}`)}`
}

/** `add_header`. */
export const headerLines = (scope: Scope, deps: SettingsDeps): string[] =>
  nearestAll(scope, 'add_header').flatMap((directive) => {
    const [name = '', value = ''] = directive.args
    if (value === '') return []
    if (isAltSvc(name)) {
      deps.report.changed(directive, NO_HTTP3)
      return []
    }
    // The type of a text is the text's own.
    if (/^content-type$/i.test(name) && own(scope, 'return').length > 0) return []
    const line = (text: string, expression: string | null): string[] => {
      const words = `Header always add ${name} ${quoted(text)}${conditionOf(directive, expression)}`
      return understood([words], directive, deps) ?? []
    }
    const answers = responseValues(value, deps.maps, deps.names)
    if (answers) {
      deps.mapsUsed.add(answers.variable)
      return answers.values.flatMap((one) =>
        one.value === '' ? [] : line(one.value.replaceAll('%', '%%'), one.expression),
      )
    }
    const plain = value.replace(/[\r\n]+\s*/g, ' ')
    if (!/\$\w|\$\{/.test(value)) return line(plain.replaceAll('%', '%%'), null)
    const filled = nginxTemplate(plain, deps.names)
    if (filled !== null) return line(`expr=${filled}`, null)
    deps.report.lost(
      directive,
      'Its value holds a variable that Berth does not have. Let the application send it.',
    )
    return []
  })

/** Headers of the application that visitors do not get. */
export const hiddenLines = (scope: Scope, deps: SettingsDeps): string[] =>
  nearestAll(scope, 'proxy_hide_header', 'fastcgi_hide_header').flatMap(
    (directive) => understood([`Header unset ${directive.args[0] ?? ''}`], directive, deps) ?? [],
  )
