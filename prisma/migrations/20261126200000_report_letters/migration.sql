-- Whether a member gets letters about reports. Those about money and safety come to everybody.
ALTER TABLE members ADD COLUMN report_letters BOOLEAN NOT NULL DEFAULT true;
