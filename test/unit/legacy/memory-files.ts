import { matchesGlob } from '#cli/convert/glob.ts'
import { convertLegacy, type Conversion } from '#handlers/domain/legacy/convert-legacy.ts'
import type { SourceFiles } from '#handlers/domain/legacy/types.ts'
import { rulesProblem } from '#handlers/sites/htaccess/files/own-rules.ts'
import { rewriteProblem } from '#handlers/sites/htaccess/vhost-rewrites.ts'

/** Files in memory; directories `/srv/…` and certificates `/ssl/…` exist always. */
export const memoryFiles = (files: Readonly<Record<string, string>>): SourceFiles => ({
  read: (path) => (path in files ? { text: files[path] ?? '' } : { reason: 'does not exist.' }),
  exists: (path) => path in files || /^\/(?:srv|ssl)\//.test(path),
  expand: (pattern) =>
    Object.keys(files)
      .filter((path) => {
        const parts = path.split('/')
        const wanted = pattern.split('/')
        return (
          parts.length === wanted.length &&
          parts.every((part, at) => matchesGlob(part, wanted[at] ?? ''))
        )
      })
      .sort(),
})

export const convertText = (
  kind: 'apache' | 'nginx',
  text: string,
  more: Readonly<Record<string, string>> = {},
): Conversion =>
  convertLegacy(
    { kind, paths: ['/etc/web/main.conf'], base: '/etc/web' },
    {
      files: memoryFiles({ '/etc/web/main.conf': text, ...more }),
      check: { rules: rulesProblem, rewrite: rewriteProblem },
      defaultDomain: 'default.test',
    },
  )

/** `kind line directive: reason` of what is lost or changed. */
export const remarks = ({ findings }: Conversion): string[] =>
  findings
    .filter(({ kind }) => kind !== 'unneeded')
    .map(({ kind, line, directive, reason }) => `${kind} ${line} ${directive}: ${reason}`)
