-- How long a counter of failed sign-ins has to wait after its last attempt: nothing while attempts are free, then 4 s, and twice
-- as long each time, up to the longest.
CREATE OR REPLACE FUNCTION sign_in_wait(failures integer, free integer, longest_s integer) RETURNS interval
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN failures < free THEN interval '0'
                ELSE make_interval(secs => least(4 * power(2, least(failures - free, 20)), longest_s)) END
$$;

GRANT EXECUTE ON FUNCTION sign_in_wait(integer, integer, integer) TO holdfast_app;
