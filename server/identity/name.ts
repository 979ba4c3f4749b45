/** What an agent is called, or the address of a member, by its key, as SQL; null for anybody else. */
export const nameOf = (key: string): string =>
  `coalesce((select email from members where member_key = ${key}), (select name from principals where principal_key = ${key}))`;
