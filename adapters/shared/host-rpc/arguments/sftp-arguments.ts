import { z } from 'zod'
import { nothing, password, sftpLogins, sftpUserName, username } from '../argument-shapes.ts'
import type { ArgumentTable } from './argument-table.ts'

/** Shapes of the arguments of methods about SFTP, by port and method. */
export const SFTP_ARGUMENTS: Pick<ArgumentTable, 'sftp'> = {
  sftp: {
    details: nothing,
    setLogins: sftpLogins,
    loginDifferences: sftpLogins,
    shellProblem: z.object({ username }),
    setUserPassword: z.object({ username, name: sftpUserName, password }),
    userProblems: z.object({ username }),
    seenLogins: z.object({ after: z.int().min(0) }),
  },
}
