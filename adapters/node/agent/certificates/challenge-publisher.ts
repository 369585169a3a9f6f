import { unavailable } from '#handlers/errors.ts'
import type { FilesPort } from '#handlers/ports/host/files.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { WebControl } from '../domains/web-control.ts'

/** Where the answers to challenges of one order go. */
export interface ChallengePublisher {
  /** Resolves once requests for the token are answered with `content`. */
  publish(token: string, content: string): Promise<void>
  /** Takes back all that was published; never rejects. */
  withdrawAll(): Promise<void>
}

/** A directory in a home, for which files are written as the account's user. */
export interface ChallengeDirectory {
  username: string
  /** Absolute path of the home. */
  home: string
  /** Absolute, inside the home. */
  webroot: string
}

export const createChallengePublisher = (deps: {
  control: Pick<WebControl, 'challenges'>
  files: Pick<FilesPort, 'write' | 'delete'>
  ensureDirectory: (username: string, path: string) => Promise<void>
  /** Null: the web server alone answers. */
  directory: ChallengeDirectory | null
  log: Log
}): ChallengePublisher => {
  const { control, files, directory, log } = deps
  const tokens: string[] = []
  const folder = directory && `${directory.webroot}/.well-known/acme-challenge`

  const fileOf = (place: ChallengeDirectory, token: string): string =>
    `${folder}/${token}`.slice(place.home.length + 1)

  return {
    async publish(token, content) {
      // It becomes the name of a file.
      if (!/^[A-Za-z0-9_-]{1,200}$/.test(token))
        throw unavailable('The certificate authority sent a malformed token.')
      tokens.push(token)
      if (!(await control.challenges({ put: [{ token, content }], remove: [] })))
        throw unavailable(
          'The web server does not run, so it cannot answer the certificate authority. Look into its log.',
        )
      if (directory === null || folder === null) return
      const { username } = directory
      await deps.ensureDirectory(username, folder)
      await files.write({ username, path: fileOf(directory, token), content, encoding: 'utf8' })
    },
    async withdrawAll() {
      const remove = tokens.splice(0)
      if (remove.length === 0) return
      await control.challenges({ put: [], remove }).catch((error: unknown) => {
        log.warn('challenges were not withdrawn', { error: String(error) })
      })
      if (directory === null) return
      for (const token of remove) {
        const { username } = directory
        // What is not there any more, or never was, needs no removal.
        await files.delete({ username, path: fileOf(directory, token) }).catch(() => undefined)
      }
    },
  }
}
