-- Who may do what in the database. A superuser runs this in the service's database before `npm run migrate` and again
-- after it; it may be repeated. The passwords are set apart: \password work_check_owner, \password work_check.
do $$
begin
  if to_regrole('work_check_owner') is null then create role work_check_owner login; end if;
  if to_regrole('work_check') is null then create role work_check login; end if;
  execute format('grant connect, create on database %I to work_check_owner', current_database());
  execute format('grant connect on database %I to work_check', current_database());
end
$$;

-- `npm run migrate` owns both schemas and all that is in them.
alter schema public owner to work_check_owner;
create schema if not exists pgboss authorization work_check_owner;

-- Web processes, workers and commands read and write rows, in what is there and in what migrations will make.
grant usage on schema public, pgboss to work_check;
grant select, insert, update, delete on all tables in schema public, pgboss to work_check;
grant usage on all sequences in schema public, pgboss to work_check;
grant execute on all functions in schema pgboss to work_check;
alter default privileges for role work_check_owner in schema public, pgboss
  grant select, insert, update, delete on tables to work_check;
alter default privileges for role work_check_owner in schema public, pgboss grant usage on sequences to work_check;
alter default privileges for role work_check_owner in schema pgboss grant execute on functions to work_check;

-- A worker vacuums deleted bytes away, and makes and drops the tables of months and weeks, which nobody else may. There are no such
-- rights for what is to come: hence the second run.
do $$
begin
  if to_regprocedure('public.make_text_month(date)') is not null then
    grant maintain on public.quotes, public.dispute_texts to work_check;
    revoke execute on function public.make_audit_month, public.make_ledger_month, public.make_text_month, public.make_audit_months,
      public.drop_audit_month, public.drop_ledger_month, public.drop_text_month, public.make_answer_week, public.keep_answer_weeks from public;
    grant execute on function public.make_audit_months, public.drop_audit_month, public.drop_ledger_month, public.drop_text_month,
      public.keep_answer_weeks to work_check;
  end if;
end
$$;
