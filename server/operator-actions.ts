/**
 * Actions that the log of the installation can hold, as words that follow a name: "ada@example.com added an announcement". The log has the
 * changes of operators, by the console and the command, and those of support staff that no member may see.
 */
export const OPERATOR_ACTIONS = {
  'announcement.add': 'added an announcement',
  'announcement.end': 'ended an announcement',
  'staff.grant': 'gave a user a role',
  'staff.revoke': 'revoked the role of a user',
  'note.add': 'wrote a note about an account',
  'note.edit': 'edited a note about an account',
  'note.remove': 'deleted a note about an account',
} as const satisfies Record<`${string}.${string}`, string>
export type OperatorAction = keyof typeof OPERATOR_ACTIONS

/** Returns an action in words; returns the recorded name of an action that is no longer in the table. */
export const operatorActionDescription = (action: string): string => OPERATOR_ACTIONS[action as OperatorAction] ?? action
