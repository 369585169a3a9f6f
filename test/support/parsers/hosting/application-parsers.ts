import {
  checkApplication,
  checkApplicationName,
} from '#adapters/node/agent/applications/check-application.ts'
import { folderOf } from '#adapters/node/agent/applications/git/releases.ts'
import { lineFault, variableNameFault } from '#handlers/domain/applications/application-rules.ts'
import { keptPaths } from '#handlers/panel/applications/application-fields.ts'
import { endOfOutput } from '#handlers/services/applications/deployment-output.ts'
import { readableText } from '#cli/panel/applications/log-command.ts'
import { addedText } from '#handlers/domain/text/added-text.ts'
import { gitRefFault, parseGitUrl } from '#handlers/domain/applications/git-url.ts'
import { isSigned } from '#handlers/domain/access/is-signed.ts'
import { pushFault, readPushed } from '#handlers/domain/applications/pushed.ts'
import {
  publicFolderFault,
  sharedPathFault,
  sharedPathsFault,
} from '#handlers/domain/applications/release-paths.ts'
import { readSubmodules, submoduleSource } from '#handlers/domain/applications/submodules.ts'
import { opened, parsersOf } from '../parser-list.ts'

const refused = (check: () => unknown): unknown => {
  try {
    return check()
  } catch (error) {
    return error
  }
}

/** What owners write of their applications. */
export const applicationParsers = parsersOf('tenant', 64 * 1024, {
  'handlers/domain/applications/application-rules.ts variableNameFault': variableNameFault,
  'handlers/domain/applications/application-rules.ts lineFault': lineFault,
  'handlers/panel/applications/application-fields.ts keptPaths': (text) => keptPaths([text, text]),
  'handlers/services/applications/deployment-output.ts endOfOutput': (text) => endOfOutput(text),
  'handlers/domain/text/added-text.ts addedText': (text) =>
    addedText(text, `${text.slice(1)}${text}`),
  'cli/panel/applications/log-command.ts readableText': readableText,
  'handlers/domain/applications/git-url.ts parseGitUrl': opened(
    ['git@example.com:', 'ssh://git@example.com/', 'https://'],
    parseGitUrl,
  ),
  'handlers/domain/applications/git-url.ts gitRefFault': gitRefFault,
  'handlers/domain/applications/submodules.ts readSubmodules': opened(
    ['submodule.a.path\n', 'submodule.'],
    readSubmodules,
  ),
  'handlers/domain/applications/submodules.ts submoduleSource': opened(
    ['../', './', 'https://'],
    (text) => submoduleSource({ kind: 'own', application: 'shop' }, text),
  ),
  'handlers/domain/access/is-signed.ts isSigned': opened(['sha256='], (text) =>
    isSigned(text, 'secret', new Uint8Array(1)),
  ),
  'handlers/domain/applications/pushed.ts readPushed': (text) =>
    readPushed({ ref: text, after: text, repository: { default_branch: text } }),
  'handlers/domain/applications/pushed.ts pushFault': (text) =>
    pushFault({ ref: text, defaultBranch: text, deleted: false }, null),
  'handlers/domain/applications/release-paths.ts publicFolderFault': publicFolderFault,
  'handlers/domain/applications/release-paths.ts sharedPathFault': sharedPathFault,
  'handlers/domain/applications/release-paths.ts sharedPathsFault': (text) =>
    sharedPathsFault(text.split(' ')),
  'adapters/node/agent/applications/git/releases.ts folderOf': (text) =>
    refused(() => folderOf('/home/alice', 'apps/shop', text)),
  'adapters/node/agent/applications/check-application.ts checkApplicationName': (text) =>
    refused(() => checkApplicationName(text)),
  'adapters/node/agent/applications/check-application.ts checkApplication': (text) =>
    refused(() =>
      checkApplication(
        {
          username: 'alice',
          name: 'shop',
          folder: text,
          runtime: { kind: 'node', version: null },
          start: text,
          environment: { [text]: text },
          listen: 'socket',
          healthPath: text,
          startLimitSecs: 30,
          restart: 'always',
          memoryMb: null,
          sleepAfterSecs: null,
        },
        { KEY: text },
      ),
    ),
})
