import { asUser, type RunAs } from '../process/as-user.ts'
import { findUser, WEB_USER } from '../process/identities.ts'
import { runCommand } from '../process/run-command.ts'

/** Something that the web server must be able to use. */
export interface NeededAccess {
  /** Absolute. */
  path: string
  /** `w` is what connecting to a socket needs. */
  right: 'r' | 'w' | 'x'
  /** What it is, for people. */
  what: string
}

/** Until the web server's user is made it is like anybody: nobody's own rights, no groups. */
const ANYBODY: RunAs = { uid: 65_534, gid: 65_534, groups: 'none' }

const fixOf = ({ path, right }: NeededAccess): string =>
  right === 'w'
    ? `usermod --append --groups GROUP ${WEB_USER}, with the group of the socket, which must be writable for it`
    : `setfacl -m u:${WEB_USER}:${right === 'x' ? 'rx' : 'r'} ${path}, and x for the directories above it`

/**
 * What the web server's user may not do, each with how to let it, asked of the
 * kernel as that user (groups and ACLs count). Without root there is one user for all.
 */
export const accessOfWeb = async (needed: readonly NeededAccess[]): Promise<string[]> => {
  if (process.getuid?.() !== 0) return []
  const who = findUser(WEB_USER) ?? ANYBODY
  const problems: string[] = []
  const asked = new Map(needed.map((one) => [`${one.right} ${one.path}`, one]))
  for (const one of asked.values()) {
    const argv = asUser(who, '/usr/bin/test', [`-${one.right}`, one.path])
    const { code } = await runCommand(argv.program, argv.args)
    if (code !== 0)
      problems.push(
        `The web server (user ${WEB_USER}) may not use ${one.what} ${one.path}. Let it: ${fixOf(one)}`,
      )
  }
  return problems
}
