import { checkName } from '#adapters/node/agent/backups/remote/backup-files.ts'
import { withoutPlaces } from '#adapters/node/agent/backups/remote/without-places.ts'
import {
  isMissing,
  isWrongKey,
  lockHolder,
  resticFailure,
} from '#adapters/node/agent/snapshots/repository/restic-failure.ts'
import { readResticTar } from '#adapters/node/agent/snapshots/restic-tar.ts'
import { createChosenMembers } from '#adapters/node/agent/backups/restore/chosen-members.ts'
import { isBelowHome, snapshotPath } from '#handlers/domain/backups/snapshot-path.ts'
import { attachment } from '#handlers/panel/frame/attachment.ts'
import { pathBelow } from '#handlers/panel/backups/snapshots/fields.ts'
import { bytesOf, opened, parsersOf } from '../parser-list.ts'

/** A tar header for so many bytes of extended records. */
const header = (bytes: number): Buffer => {
  const block = Buffer.alloc(512)
  block.write(bytes.toString(8).padStart(11, '0'), 124)
  block.write('x', 156)
  return block
}

const readTar = async (text: string): Promise<void> => {
  const bytes = bytesOf(text)
  const padding = Buffer.alloc((512 - (bytes.length % 512)) % 512)
  const source = async function* (): AsyncGenerator<Buffer> {
    yield Buffer.concat([header(bytes.length), bytes, padding, Buffer.alloc(512)])
  }
  await readResticTar(source(), () => Promise.resolve())
}

/** What restic writes, of names in homes and of answers of targets. */
export const snapshotParsers = parsersOf('tenant', 64 * 1024, {
  'adapters/node/agent/snapshots/restic-tar.ts readResticTar': opened(
    ['30 mtime=1', '9 path=', '20 size='],
    readTar,
  ),
  'adapters/node/agent/snapshots/repository/restic-failure.ts lockHolder': opened(
    ['already locked by PID ', 'already locked exclusively by PID 1 on '],
    lockHolder,
  ),
  'adapters/node/agent/snapshots/repository/restic-failure.ts isMissing': opened(
    ['config file '],
    (text) => isMissing(1, text),
  ),
  'adapters/node/agent/snapshots/repository/restic-failure.ts isWrongKey': (text) =>
    isWrongKey(1, text),
  'adapters/node/agent/backups/remote/without-places.ts withoutPlaces': withoutPlaces,
  'adapters/node/agent/backups/remote/backup-files.ts checkName': (text) =>
    checkName({ username: 'alice', filename: text }),
  'adapters/node/agent/snapshots/repository/restic-failure.ts resticFailure': (text) =>
    resticFailure('here', 1, text),
})

/** Paths of requests that browse, fetch or restore parts of backups. */
export const backupPathParsers = parsersOf('tenant', 64 * 1024, {
  'handlers/domain/backups/snapshot-path.ts isBelowHome': opened(['/'], isBelowHome),
  'handlers/domain/backups/snapshot-path.ts snapshotPath': opened(['/'], (text) =>
    snapshotPath(text, 'path'),
  ),
  'handlers/panel/backups/snapshots/fields.ts pathBelow': (text) =>
    pathBelow('path').safeParse(text),
  'handlers/panel/frame/attachment.ts attachment': opened(['/'], attachment),
  'adapters/node/agent/backups/restore/chosen-members.ts createChosenMembers': (text) =>
    createChosenMembers([text]).takes({ name: text, type: 'file' }),
})
